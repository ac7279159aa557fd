// Who starts and who ends MPI.
#include "lives.hpp"

#include <armci.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>

namespace lives {

namespace {

bool mpi_is_initialized()
{
    int flag = 0;
    MPI_Initialized(&flag);
    return flag != 0;
}

void armci_starts_mpi()
{
    CHECK(!mpi_is_initialized());
    CHECK(ARMCI_Init() == 0);
    CHECK(mpi_is_initialized());
    use();
    CHECK(ARMCI_Finalize() == 0);
    CHECK(mpi_is_finalized());
    CHECK(ARMCI_Initialized() == 0);
}

// By the launcher, before MPI runs.
bool is_process_0()
{
    for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
        if (const char* const rank = std::getenv(name))
            return std::atoi(rank) == 0;
    return false;
}

// All processes but process 0 have MPI_THREAD_MULTIPLE.
void levels_differ()
{
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, is_process_0() ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// Process 0 wants another one-sided component of Open MPI than the others.
void components_differ()
{
    if (is_process_0())
        setenv("OMPI_MCA_osc", "ucx", 1);
    armci_starts_mpi();
}

void program_starts_mpi()
{
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    CHECK(!mpi_is_finalized());
    int sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == world_size());
    MPI_Finalize();
}

// The service wants more than the program, which sees what it would see without this library.
void level_as_asked()
{
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    CHECK(provided == MPI_THREAD_FUNNELED);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

void messages_start_mpi()
{
    armci_msg_init(nullptr, nullptr);
    CHECK(mpi_is_initialized());
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    if (!mpi_is_finalized())
        armci_msg_finalize();
    CHECK(mpi_is_finalized());
}

void program_ends_mpi_first()
{
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use();
    MPI_Finalize();
    CHECK(ARMCI_Initialized() == 0);
    CHECK(ARMCI_Finalize() == 0);
    CHECK(ARMCI_Initialized() == 0);
}

void with_arguments()
{
    char program[] = "lives", argument[] = "arguments";
    char* arguments[] = {program, argument, nullptr};
    int argc = 2;
    char** argv = arguments;
    CHECK(ARMCI_Init_args(&argc, &argv) == 0);
    CHECK(argc == 2);
    CHECK(std::strcmp(argv[1], "arguments") == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
}

} // namespace

const Ways& who_starts_mpi()
{
    static const Ways ways{
        {"armci_starts_mpi", armci_starts_mpi},
        {"program_starts_mpi", program_starts_mpi},
        {"messages_start_mpi", messages_start_mpi},
        {"program_ends_mpi_first", program_ends_mpi_first},
        {"arguments", with_arguments},
        {"components_differ", components_differ},
        {"levels_differ", levels_differ},
        {"level_as_asked", level_as_asked},
    };
    return ways;
}

} // namespace lives
