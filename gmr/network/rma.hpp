// RMA: the only caller of MPI's one-sided data movement. Everything here issues; nothing waits
// (gmr/network/completion does). Sizes beyond an int are cut into pieces.
//
// The caller is in an access epoch for the target (completion::begin).
//
// Source buffers of put and accumulate stay with MPI, and results of get are missing, until
// completion::finish_locally(target), or until the request handed out is complete.
#pragma once

#include "gmr/memory/target.hpp"
#include "gmr/network/staging.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace armci::gmr::rma {

// With `requests`, operations are request-based and append to it (nothing under epochs that complete at
// once).
using Requests = std::vector<MPI_Request>;

// `alone`: nothing else is under way, so that long ones had better overlap with themselves.
void put(const Target& target, const void* source, std::uint64_t bytes, Requests* requests = nullptr,
         bool alone = true);
void get(const Target& target, void* destination, std::uint64_t bytes, Requests* requests = nullptr);
// Adds `bytes` of predefined `type`, `unit` bytes each.
void accumulate(const Target& target, MPI_Datatype type, std::uint64_t unit, const void* source,
                std::uint64_t bytes, Requests* requests = nullptr, bool alone = true);
// The most calls of MPI that these take: for a put or get, and for an accumulate.
int calls_of_transfer(std::uint64_t bytes);
int calls_of_accumulate(std::uint64_t bytes);

// One element; `result` receives the old value, when `request` is complete, or without one when
// completion::end_complete(target) returns.
void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result,
                  MPI_Request* request = nullptr);
void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result);

// One operation of derived types: `count` of `here` at `mine`, and `count_there` of `there` at the target,
// more than one where `there` is an element. Like those of blocks below it has no request, as MPICH completes
// such requests too early (docs/mpi-facts.md).
struct Typed {
    void* mine;
    int count;
    MPI_Datatype here;
    MPI_Datatype there;
    int count_there = 1;
};
// The element for types whose places, strides and sizes, or-ed together, are `bits`: MPICH copies words up to
// twice as fast as bytes.
MPI_Datatype widest_element(std::uint64_t bits);
void put_typed(const Target& target, const Typed& typed);
void get_typed(const Target& target, const Typed& typed);
void accumulate_typed(const Target& target, const Typed& typed);

// Many blocks to or from one target as one operation: block i is sizes[i] bytes at addresses[i] here and at
// displacements[i] there, relative to the window. Blocks on the written side do not overlap; MPI keeps them
// in no order. Those of an accumulate are whole elements of predefined `type`.
struct Blocks {
    std::vector<int> sizes;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Aint> displacements;
};
// Where `packed` is given, it holds the sources one behind the other, and their addresses are not read.
void put_blocks(const Target& target, const Blocks& blocks, const std::byte* packed = nullptr);
void get_blocks(const Target& target, const Blocks& blocks);
void accumulate_blocks(const Target& target, MPI_Datatype type, const Blocks& blocks,
                       const std::byte* packed = nullptr);
// A copy of the sources for `packed`.
Buffer pack(const Blocks& blocks);
std::uint64_t total(const Blocks& blocks);
// Whether this MPI does operations of derived types well; use_blocks() tells what gmr/network/probe found.
bool joins_blocks();
// Whether gets of segments that lie near one another are best as one get of all that is between.
bool gets_by_spans();
// Longer blocks go at least as fast one by one (docs/design/0006).
inline constexpr std::uint64_t most_joined_bytes = 32 * 1024;
void use_blocks(bool usable);

} // namespace armci::gmr::rma
