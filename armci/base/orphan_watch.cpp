#include "armci/base/orphan_watch.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/side_thread.hpp"

#include <mpi.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace armci {
namespace {

// Who started this process, as it was when this library was loaded: the parent may be gone before ARMCI_Init.
// A child that the program has forked since then has another.
pid_t myself = getpid();
pid_t parent = getppid();

constexpr std::chrono::seconds between_looks{1};

// How many processes Open MPI's launcher started this one with; 0 where it was not.
int started_together()
{
    const char* const processes = std::getenv("OMPI_COMM_WORLD_SIZE");
    return processes != nullptr && std::getenv("PMIX_RANK") != nullptr ? std::atoi(processes) : 0;
}

} // namespace

OrphanWatch::OrphanWatch(bool watches)
{
    if (getpid() != myself) {
        myself = getpid();
        parent = getppid();
    }
    if (watches)
        thread_ = start_beside("to watch this process's launcher", [this] { watch(); });
}

OrphanWatch::~OrphanWatch()
{
    {
        const std::lock_guard lock(guard_);
        ended_ = true;
    }
    ended_changed_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

OrphanWatch OrphanWatch::of_start()
{
    return OrphanWatch(started_together() > 1);
}

void OrphanWatch::check_world()
{
#if defined(OPEN_MPI)
    const int processes = started_together();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (processes > 1 && size == 1)
        diag::fatal("ARMCI_Init",
                    "this process was started as one of %d (OMPI_COMM_WORLD_SIZE), but MPI_COMM_WORLD has "
                    "one: its launcher is "
                    "gone, or belongs to another MPI library than the program",
                    processes);
#endif
}

void OrphanWatch::leave_if_orphaned()
{
    if (getppid() == parent)
        return;
    diag::tell_at_once(
        "the launcher of this process is gone, and with it perhaps the others of the job; it ends here");
    _exit(diag::rejected);
}

void OrphanWatch::watch()
{
    std::unique_lock lock(guard_);
    while (!ended_changed_.wait_for(lock, between_looks, [this] { return ended_; }))
        leave_if_orphaned();
}

} // namespace armci
