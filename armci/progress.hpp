// Progress thread (ARMCI_PROGRESS_THREAD): advances MPI while the program computes, so that other nodes reach
// this process's memory meanwhile. An option and never a need: every wait of this library does the same.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/settings.hpp"

#include <atomic>
#include <thread>

namespace armci {

class ProgressThread {
public:
    // Collective over `world`. Starts only where asked for, where `needed` (the job has a network path), and
    // where MPI was started with MPI_THREAD_MULTIPLE; otherwise one process says why not.
    ProgressThread(MPI_Comm world, const Settings& settings, bool needed);
    ~ProgressThread();
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;

    bool runs() const { return thread_.joinable(); }

private:
    mpi::Comm comm_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

} // namespace armci
