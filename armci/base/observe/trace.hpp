// Trace: the latest operations and waits of each process, with their times, as a file that Perfetto
// (ui.perfetto.dev) and chrome://tracing open: one track for each process (ARMCI_TRACE).
#pragma once

#include "armci/base/observe/observe.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace armci::observe::trace {

struct Event {
    const char* call;
    Nanoseconds began;
    Nanoseconds took;
    std::int64_t bytes; // -1: a wait
    std::int32_t process;
    bool load_store;
};

// Keeps the latest `most` events, until stop().
void start(std::size_t most);
void stop();
bool enabled();

void record(const Event& event);

// Collective over `world`. Rank 0 writes the file; times are those of its clock, which is compared with those
// of the others by messages. A file that cannot be written gets one warning.
void write(MPI_Comm world, const std::string& path);

} // namespace armci::observe::trace
