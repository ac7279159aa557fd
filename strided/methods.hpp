// Methods: the ways of a strided call over the network. The remote side has been located.
//
// | method     | what goes over the network                                             |
// |------------|------------------------------------------------------------------------|
// | segments   | one operation for each segment, all ordered and completed as one       |
// | spans      | the same, but one get for all segments that are near (gmr/transfer/span.hpp)    |
// | one_by_one | the same, each ordered by itself                                       |
// | iov        | the vector call of the segments (paper 001, Algorithm 1), see iov/     |
// | direct     | one operation with a derived type on either side                       |
// | packed     | operations from packed sources, piece by piece, with a type there only |
//
// direct and packed write no byte twice, so they take no shape that might; nor gets of an aggregate handle,
// which joins them itself. direct takes no scaled accumulate. packed is the way of writes with
// a handle, which is complete at once. Where a call may write what it reads, writes are packed, and what
// packed does not take goes one_by_one: a segment that meets its own target is copied first. Segments that
// meet the targets of others are the caller's mistake, as in MPI.
#pragma once

#include "armci/base/settings.hpp"
#include "gmr/locked_accumulate.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/node/accumulate.hpp"
#include "iov/segments.hpp"
#include "strided/request.hpp"
#include "strided/shape.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::strided {

using iov::Kind;

// A located call. The remote side reaches over [reach, reach + extent), its first segment starts `first`
// bytes into that; the own side starts at `mine`.
struct Transfer {
    const Request& request;
    const Shape& shape;
    Kind kind;
    gmr::Target reach;
    std::uint64_t extent;
    std::int64_t first;
    std::byte* mine;
    bool on_itself; // what is read and what is written may be the same memory (gmr::is_on_itself)
    const gmr::Accumulation* accumulation = nullptr; // of accumulates, with one element to scale by
    const void* scale = nullptr;
};

// A piece of packed sources: while one is on its way the next is packed, and its buffer stays in the cache. A
// segment goes into one piece.
inline constexpr std::int64_t most_packed_bytes = 256 * 1024;

enum class Method { segments, spans, one_by_one, iov, direct, packed };

// The choice for one call, by the settings and what it is.
Method choose_method(const Transfer& transfer);
void set_policy(const Settings& settings);

// By that choice. Returns non-zero where ARMCI_IOV_CHECKS refuses the vector call.
int over_the_network(const Transfer& transfer);

// Accumulates by gets and puts under the lock that `turn` holds; what is reached was found for plain use.
int under_lock(const Transfer& transfer, gmr::locked::Turn& turn);

// In place of all methods, where operations go as messages of the library's own.
void as_messages(const Transfer& transfer);
void by_segments(const Transfer& transfer);
void by_spans(const Transfer& transfer); // gets
void one_by_one(const Transfer& transfer);
// For segments whose length is an int. Returns non-zero where ARMCI_IOV_CHECKS refuses the vector call.
int as_iov(const Transfer& transfer);
// Adds aligned and misaligned rows, each in their way, by the vector call. Its length is an int.
int add_by_alignment(const Request& request, const Shape& shape, const gmr::Accumulation& accumulation,
                     const void* scale);
void direct(const Transfer& transfer);
void packed(const Transfer& transfer);

} // namespace armci::strided
