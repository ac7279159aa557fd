// Remote: operations on targets that load/store does not serve, in the order that location consistency asks
// for.
//
// Each call orders itself behind what is queued and what is pending, issues through gmr/network/rma, notes
// what it wrote, and then completes locally when it is blocking. `Issue` says how: blocking; nonblocking
// without a handle, completed by flushes; or with a handle, whose requests complete it.
#pragma once

#include "gmr/memory/target.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/node/kernels/accumulate.hpp"
#include "gmr/transfer/issue.hpp"

#include <cstdint>

namespace armci::gmr::remote {

void put(const Target& target, const void* source, std::uint64_t bytes, Issue issue);
void get(const Target& target, void* destination, std::uint64_t bytes, Issue issue);
// `scale` points to one element; bytes are whole elements.
void accumulate(const Target& target, kernels::Element element, const void* scale, const void* source,
                std::uint64_t bytes, Issue issue);

// Many blocks of one target as one operation (rma::Blocks), ordered and noted over [target, target + extent),
// which holds them all. With a handle, sources are copied, so that it has nothing to wait for.
void put_blocks(const Target& target, std::uint64_t extent, const rma::Blocks& blocks, Issue issue);
// Not with a handle: nothing would tell it of completion.
void get_blocks(const Target& target, std::uint64_t extent, const rma::Blocks& blocks, Issue issue);
void accumulate_blocks(const Target& target, std::uint64_t extent, kernels::Element element,
                       const void* scale, const rma::Blocks& blocks, Issue issue);

// One operation of derived types, ordered and noted over [target, target + extent); its type `there` starts
// `first` bytes on. `staged` is what it reads, if it reads copies; with a handle it must, and gets have none.
void put_typed(const Target& target, std::uint64_t extent, std::int64_t first, const rma::Typed& typed,
               Issue issue, Buffers staged = {});
void get_typed(const Target& target, std::uint64_t extent, std::int64_t first, const rma::Typed& typed,
               Issue issue);
void accumulate_typed(const Target& target, std::uint64_t extent, std::int64_t first,
                      kernels::Element element, const rma::Typed& typed, Issue issue, Buffers staged = {});
// As those of gmr/network/atomics.hpp, behind what is queued, too.
void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result);
void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result);

// Return when what was issued to a process, or to all, without a handle is complete here; with what aggregate
// handles have queued.
void finish(int process);
void finish_all();

// Return when everything issued to a process, or to all, is complete there; with what aggregate handles have
// queued.
void fence(int process);
void fence_all();

} // namespace armci::gmr::remote
