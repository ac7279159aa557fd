// Counts the MPI calls that communicate, whoever makes them, by MPI's profiling interface.
#pragma once

#include <string>
#include <string_view>

namespace pmpi {

// Counters of this process, over all threads. Only polls_of_this_thread() counts the calling thread alone,
// from its own last reset.
void reset();
long total();
// One-sided calls: data movement, synchronisation, and making and freeing windows.
long rma();
// Calls of one function by its name, "MPI_Put"; -1 for a name that is not counted.
long count(std::string_view name);
// Looks at MPI that let it progress for others (armci/base/mpi_progress.hpp).
long polls();
// A thread of the library polls when it likes, so a test of what a call polls asks here.
long polls_of_this_thread();
// All but those. A thread may poll meanwhile.
long without_polls();
// What was called and how often: "MPI_Put 3, MPI_Win_flush 1"; empty if nothing was.
std::string report();

} // namespace pmpi
