// MPI quirks: what MPI libraries get wrong, and what this library does about it. All workarounds live here, each with
// library, version and upstream issue.
#pragma once

#include <mpi.h>

namespace armci::quirks {

// Ends the job with MPI's text and, where the cause is known, with the cure.
[[noreturn]] void explain_window_failure(const char* call, int code);

} // namespace armci::quirks
