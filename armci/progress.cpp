#include "armci/progress.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_progress.hpp"
#include "armci/base/side_thread.hpp"

#include <chrono>

namespace armci {

ProgressThread::ProgressThread(MPI_Comm world, const Settings& settings, bool needed)
{
    if (settings.progress_thread == 0 || !needed)
        return;
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
    // Processes may have started MPI with several levels; the thread's communicator is made by all or by
    // none.
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MIN, world), "MPI_Allreduce");
    if (level != MPI_THREAD_MULTIPLE) {
        int rank = 0;
        mpi::check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
        if (rank == 0)
            diag::warn(
                "ARMCI_PROGRESS_THREAD is set, but MPI was not started with MPI_THREAD_MULTIPLE on all "
                "processes; no thread runs");
        return;
    }
    comm_ = mpi::Comm::duplicate(world);
    thread_ = start_beside("to let MPI progress",
                           [this, pause = std::chrono::microseconds(settings.progress_usleep)] {
                               mpi::Progress progress(comm_.get());
                               while (!stop_.load(std::memory_order_relaxed)) {
                                   progress();
                                   if (pause.count() > 0)
                                       std::this_thread::sleep_for(pause);
                                   else
                                       std::this_thread::yield();
                               }
                           });
}

ProgressThread::~ProgressThread()
{
    stop_.store(true, std::memory_order_relaxed);
    if (thread_.joinable())
        thread_.join();
}

} // namespace armci
