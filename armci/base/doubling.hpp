// Doubling: collectives by plain messages, in steps whose reach doubles: one message for each process and
// step, and as many steps as doublings reach all processes.
//
// The communicator carries nothing else, as a rule that of one process of each node. All of its processes
// make the same calls in the same order. Messages of a pair keep their order, so one tag serves them all.
// While a process waits it looks at its request by finish(), as MPI's own collectives may spin.
//
// mpi::barrier and mpi::allgather (armci/base/mpi.hpp) are of this kind, too.
#pragma once

#include "armci/base/record_runs.hpp"

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace armci::mpi {

// Sets `into` to `into` op `from`, both of `bytes` bytes.
using Fold = std::function<void(std::byte* into, const std::byte* from, std::size_t bytes)>;

// Folds what all have in `x`; all get the result, with the same bits. `unit` is the size of what must stay
// together.
void combine(std::byte* x, std::size_t bytes, std::size_t unit, const Fold& fold, MPI_Comm comm);
// Folds what all have in `x`; process 0 gets the result, and the others' `x` is used up.
void reduce(std::byte* x, std::size_t bytes, std::size_t unit, const Fold& fold, MPI_Comm comm);
// By a binomial tree.
void broadcast_in_steps(std::byte* x, std::size_t bytes, int root, MPI_Comm comm);

// Gathers records of `each` bytes, `counts[i]` from process i; returns all of them as runs, by process. No
// counts: one from each.
record_runs::Bytes gather_runs(const std::byte* mine, std::size_t each, const std::vector<int>& counts,
                               MPI_Comm comm);

} // namespace armci::mpi
