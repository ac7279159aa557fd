// UCX owner: a UCX that was built with assertions ends the process when a thread calls it that did not create
// the worker, unless MPI asked UCX for several threads. Open MPI does so for none of its levels in one-sided
// operations; MPICH always does (docs/mpi-facts.md).
#pragma once

namespace armci {

// True where Open MPI goes over such a UCX. Called after the first window.
bool ucx_wants_one_thread();

} // namespace armci
