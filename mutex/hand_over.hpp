// Hand-over: the message that gives a mutex to the process that waits for it. The holder completes what it
// did before it sends (MutexSet::unlock), so who receives it sees that.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/thread_turns.hpp"

#include <cstddef>

namespace armci::mutex {

// `from` may be MPI_ANY_SOURCE; `number` of the mutex in its set.
inline void await_hand_over(MPI_Comm comm, int from, std::size_t number)
{
    MPI_Request request = MPI_REQUEST_NULL;
    {
        const auto turn = traits::await_turn();
        mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, from, static_cast<int>(number), comm, &request),
                   "MPI_Irecv");
    }
    mpi::finish(request);
}

// Whether the message is there.
inline bool has_hand_over(MPI_Comm comm, std::size_t number)
{
    int found = 0;
    const auto turn = traits::await_turn();
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, static_cast<int>(number), comm, &found, MPI_STATUS_IGNORE),
               "MPI_Iprobe");
    return found != 0;
}

inline void hand_over(MPI_Comm comm, int to, std::size_t number)
{
    const auto turn = traits::await_turn();
    mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, to, static_cast<int>(number), comm), "MPI_Send");
}

} // namespace armci::mutex
