// MPI quirks: what MPI libraries get wrong, and what this library does about it. All workarounds live here, each with
// library, version and upstream issue.
#pragma once

#include "armci/base/settings.hpp"

#include <mpi.h>

namespace armci::quirks {

// The window flavour to use in place of one that this MPI library gets wrong; `complain` warns.
WindowFlavour usable(WindowFlavour wanted, bool complain);

// Ends the job with MPI's text and, where the cause is known, with the cure.
[[noreturn]] void explain_window_failure(const char* call, int code);

} // namespace armci::quirks
