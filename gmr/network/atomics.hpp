// Atomics: one element at the target, behind everything that is pending there.
//
// `result`, the old value, is there when they return. The new one is in place for whatever follows from this
// process, and for all after a fence; those that say so, and a compare-and-swap, leave nothing to fence.
// Operand, compare and replacement are elements of `type`.
#pragma once

#include "gmr/memory/target.hpp"

#include <mpi.h>

namespace armci::gmr::atomics {

void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result);
void fetch_and_op_at_once(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand,
                          void* result);
void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result);

} // namespace armci::gmr::atomics
