// Lives of some processes of the job.
#include "lives.hpp"

#include <armci.h>
#include <mpi.h>

#include <cstdlib>

namespace lives {

namespace {

// The library's own numbers are those of a communicator.
void expect_ranks_of(MPI_Comm comm)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(armci_msg_me() == rank);
    CHECK(armci_msg_nproc() == size);
}

void halves()
{
    MPI_Init(nullptr, nullptr);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half); // in reverse order
    CHECK(ARMCI_Init_mpi_comm(half) == 1);
    expect_ranks_of(half);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Comm_free(&half);
    CHECK(ARMCI_Init() == 0);
    expect_ranks_of(MPI_COMM_WORLD);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// Only some processes of the job use the library, and later all do: what the first have found out about MPI
// is not yet known to the last.
void some()
{
    MPI_Init(nullptr, nullptr);
    MPI_Comm few;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() < world_size() - 1 || world_size() == 1 ? 0 : MPI_UNDEFINED,
                   0, &few);
    if (few != MPI_COMM_NULL) {
        CHECK(ARMCI_Init_mpi_comm(few) == 1);
        expect_ranks_of(few);
        use();
        CHECK(ARMCI_Finalize() == 0);
        MPI_Comm_free(&few);
    }
    CHECK(ARMCI_Init() == 0);
    expect_ranks_of(MPI_COMM_WORLD);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

void each_alone()
{
    int provided = 0, level = MPI_THREAD_MULTIPLE;
    if (std::getenv("ARMCI_FORCE_MPI") != nullptr)
        level = MPI_THREAD_SERIALIZED; // Open MPI's pt2pt has no windows with the other
    MPI_Init_thread(nullptr, nullptr, level, &provided);
    CHECK(ARMCI_Init_thread_comm(level, MPI_COMM_SELF) == 0);
    expect_ranks_of(MPI_COMM_SELF);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// The messages of the program and of the library on one communicator do not meet.
void program_messages()
{
    MPI_Init(nullptr, nullptr);
    const int right = (world_rank() + 1) % world_size();
    int sent = world_rank(), received = -1;
    MPI_Request requests[2];
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    CHECK(ARMCI_Init() == 0);
    use();
    MPI_Isend(&sent, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
    use();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(received == (world_rank() + world_size() - 1) % world_size());
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

} // namespace

const Ways& communicators()
{
    static const Ways ways{
        {"halves", halves},
        {"some", some},
        {"each_alone", each_alone},
        {"program_messages", program_messages},
    };
    return ways;
}

} // namespace lives
