// Kept windows: over osc/ucx MPI_Win_free waits for every process that ever shared a window with this one,
// and a process answers only while it has a window (docs/mpi-facts.md). So each process that makes a window
// keeps one more for the life of the library.
#pragma once

#include <mpi.h>

namespace armci::gmr {

class KeptWindows {
public:
    // For the life of the library on `world`. The destructor is collective over it and frees what was kept,
    // after all other windows.
    explicit KeptWindows(MPI_Comm world) : world_(world) {}
    ~KeptWindows();
    KeptWindows(const KeptWindows&) = delete;
    KeptWindows& operator=(const KeptWindows&) = delete;

    // Makes one, unless each process of `comm` has one. Collective over `comm`.
    static void keep_one(MPI_Comm comm);

private:
    MPI_Comm world_;
};

} // namespace armci::gmr
