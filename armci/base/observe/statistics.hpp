// Statistics: operations by kind and path, waits, traffic with each process and of each region, with the time
// that each took (ARMCI_STATS).
#pragma once

#include "armci/base/observe/observe.hpp"
#include "armci/base/observe/regions.hpp"
#include "armci/base/observe/report.hpp"

#include <mpi.h>

#include <cstdint>

namespace armci::observe::statistics {

// Counts from nothing, in a job of so many processes, until stop().
void start(int processes);
void stop();
bool enabled();

void count(const Operation& operation, std::int64_t bytes, bool load_store, Nanoseconds took);
void count(Wait wait, Nanoseconds took);
// A collective allocation, or one that a process made alone: my bytes of it, and everybody's slices.
void count_allocation(std::int64_t bytes, std::uint64_t number, std::span<const Regions::Slice> slices);
void forget_allocation(int process, std::uintptr_t start);
// Of a process from CPU mode to MPI, for one kind of atomic operations (gmr/network/modes.hpp).
void count_switch();
// Of another node, by the service thread (armci/service/).
void count_answer();
// Active messages of other nodes that were carried out (gmr/active_messages/); at any time.
void count_messages(std::uint64_t count);

// Collective over `world`; what comes out is whole on its rank 0.
Report gather(MPI_Comm world, int nodes);

} // namespace armci::observe::statistics
