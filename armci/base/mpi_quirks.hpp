// MPI quirks: what MPI libraries get wrong, and what this library does about it. All workarounds live here,
// each with library, version and upstream issue.
#pragma once

#include "armci/base/settings.hpp"

#include <mpi.h>

namespace armci::quirks {

// The window flavour to use in place of one that this MPI library gets wrong; `complain` warns.
WindowFlavour usable(WindowFlavour wanted, bool complain);

// The ordering to use in place of one that this MPI library does not keep; `complain` warns.
Ordering usable(Ordering wanted, bool complain);

// Whether a request-based get of a type with holes may be used.
bool rget_of_derived_types();

// Whether MPI_Win_flush_local may wait for ever; MPI_Win_flush_local_all takes its place.
bool flush_local_hangs();

// Ends the job with MPI's text and, where the cause is known, with the cure.
[[noreturn]] void explain_window_failure(const char* call, int code);

} // namespace armci::quirks
