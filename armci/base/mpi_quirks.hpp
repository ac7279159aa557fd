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

// Lets malloc keep what MPI's buffers for large messages free, instead of returning it to the kernel and
// faulting it in again for the next message.
void keep_freed_memory();

// Ends the job with MPI's text and, where the cause is known, with the cure. Where all processes have found
// the same, rank 0 of `comm` speaks.
[[noreturn]] void explain_window_failure(const char* call, int code, MPI_Comm comm);

} // namespace armci::quirks
