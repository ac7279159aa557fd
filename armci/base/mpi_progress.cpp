#include "armci/base/mpi_progress.hpp"

#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/thread_turns.hpp"

namespace armci::mpi {
namespace {

// A generalized request (MPI-3, 12.2) wants to be told what it is; nobody asks this one.
int query(void*, MPI_Status* status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

int let_go(void*)
{
    return MPI_SUCCESS;
}

int cancel(void*, int)
{
    return MPI_SUCCESS;
}

} // namespace

Progress::~Progress()
{
    if (never_ == MPI_REQUEST_NULL || !running())
        return;
    MPI_Grequest_complete(never_);
    MPI_Wait(&never_, MPI_STATUS_IGNORE);
}

void Progress::operator()()
{
    const traits::Turn turn;
    if (!turn)
        return;
    int flag = 0;
    if (!traits::in_use.probes_seldom_reach_windows) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
        return;
    }
    std::call_once(once_, [this] {
        check(MPI_Grequest_start(query, let_go, cancel, nullptr, &never_), "MPI_Grequest_start");
    });
    MPI_Request_get_status(never_, &flag, MPI_STATUS_IGNORE);
}

} // namespace armci::mpi
