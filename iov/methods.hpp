// Methods: the ways of an I/O-vector call over the network (paper 001, section VI-A). All segments have been
// located.
//
// | method       | segments                                    | order among them                   |
// |--------------|---------------------------------------------|------------------------------------|
// | conservative | anywhere, may overlap                       | the caller's, where they overlap   |
// | batched      | of one window, written without overlap      | none; completed every `limit`      |
// | direct       | the same; accumulates may overlap           | none; joined by derived types      |
#pragma once

#include "armci/base/settings.hpp"
#include "gmr/locked_accumulate.hpp"
#include "iov/segments.hpp"

namespace armci::iov {

// Each segment is ordered and issued by itself.
void conservative(const Request& request, const Survey& survey);
// All are ordered as one and issued one by one; those of a blocking call complete here after each `limit`, 0
// being all.
// Near ones that are got may be one operation, where `join_near` (gmr/transfer/span.hpp).
void batched(const Request& request, const Survey& survey, std::int64_t limit, bool join_near);
// Hundreds are one MPI operation; more segments or bytes in one gain nothing. Puts and accumulates have fewer
// where MPI bears fewer (traits::Traits::written_blocks).
inline constexpr std::size_t most_direct_segments = 1024;
inline constexpr std::uint64_t most_direct_bytes = 1 << 20;
void direct(const Request& request, const Survey& survey);

// In place of all methods, where operations go as messages of the library's own.
void as_messages(const Request& request);

// Accumulates by gets and puts under the lock that `turn` holds, all segments found for plain use.
int under_lock(const Request& request, const Survey& survey, gmr::locked::Turn& turn);

// The choice for one call, by the settings; never `automatic`. What the wanted method cannot take, segments
// that overlap or lie in several windows, goes by conservative, or is reported where the settings ask for
// checks: then non-zero.
bool checks_segments(); // whether the settings ask for that
int choose_method(const Request& request, const Survey& survey, IovMethod& method);
std::int64_t batched_limit();
bool joins_near(const Request& request, const Survey& survey);
void set_policy(const Settings& settings);

} // namespace armci::iov
