// MPI quirks: settings that this MPI does not bear, by its traits (mpi_traits.hpp), and other workarounds,
// each with library, version and upstream issue.
#pragma once

#include "armci/base/settings.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace armci::quirks {

// The window flavour to use in place of one that this MPI library gets wrong; `complain` warns.
WindowFlavour usable(WindowFlavour wanted, bool complain);

// The method for strided calls to use in place of one that this MPI library gets wrong; `complain` warns.
StridedMethod usable(StridedMethod wanted, bool complain);

// The method for vector calls to use in place of one that this MPI library gets wrong; `complain` warns.
IovMethod usable(IovMethod wanted, bool complain);

// The ordering to use in place of one that this MPI library does not keep; `complain` warns.
Ordering usable(Ordering wanted, bool complain);

// Whether to do without MPI_Comm_split_type in a world of so many processes that the system puts on one
// machine. MPICH 4 spins there: 64 processes on 2 cores took 5 s, a third of their start. What it would say
// is what the system says, unless MPI was told to see other nodes.
bool avoids_split_by_node(int processes);

// Lets malloc keep what MPI's buffers for large messages free, instead of returning it to the kernel and
// faulting it in again for the next message.
void keep_freed_memory();

// Ends the job with MPI's text and, where the cause is known, with the cure. Where all processes have found
// the same, rank 0 of `comm` speaks.
[[noreturn]] void explain_window_failure(const char* call, int code, MPI_Comm comm);

} // namespace armci::quirks
