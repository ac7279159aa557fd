// Progress: the one call by which this library lets MPI work for other processes while its own waits or
// computes.
//
// MPI_Iprobe does that, except with Open MPI's pml/ucx: of 100 probes one alone reaches one-sided operations
// (opal_common_ucx_progress_iterations). Where windows are osc/ucx's it is a look at a request that never
// ends, which reaches all of MPI each time (docs/mpi-facts.md).
#pragma once

#include <mpi.h>

#include <mutex>

namespace armci::mpi {

class Progress {
public:
    // `comm` stays the caller's, and outlives this object.
    explicit Progress(MPI_Comm comm) : comm_(comm) {}
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Returns at once. Threads may call it together, if MPI was started for that.
    void operator()();

private:
    MPI_Comm comm_;
    std::once_flag once_;
    MPI_Request never_ = MPI_REQUEST_NULL;
};

} // namespace armci::mpi
