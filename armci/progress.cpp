#include "armci/progress.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/side_thread.hpp"

#include <chrono>

namespace armci {

ProgressThread::ProgressThread(MPI_Comm world, const Settings& settings, bool needed)
{
    if (settings.progress_thread == 0 || !needed)
        return;
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
    if (level != MPI_THREAD_MULTIPLE) {
        int rank = 0;
        mpi::check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
        if (rank == 0)
            diag::warn("ARMCI_PROGRESS_THREAD is set, but MPI was not started with MPI_THREAD_MULTIPLE; no "
                       "thread runs");
        return;
    }
    comm_ = mpi::Comm::duplicate(world);
    thread_ = start_beside(
        "to let MPI progress", [this, pause = std::chrono::microseconds(settings.progress_usleep)] {
            while (!stop_.load(std::memory_order_relaxed)) {
                int flag = 0;
                if (const traits::Turn turn; turn)
                    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &flag, MPI_STATUS_IGNORE);
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
