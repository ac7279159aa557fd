// Programs that end without ARMCI_Finalize, or late.
#include "lives.hpp"

#include <armci.h>
#include <mpi.h>

#include <cstdlib>

namespace lives {

namespace {

void only_mpi_ends()
{
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use();
    MPI_Finalize();
}

void just_exits()
{
    CHECK(ARMCI_Init() == 0);
    use();
    std::exit(failures == 0 ? 0 : 1);
}

// As a program does that ends by exit(), with handlers from before the library had anything, or with a global
// object of C++ whose destructor ends it.
void* use_at_exit = nullptr;

void end_at_exit()
{
    CHECK(use_at_exit != nullptr);
    use();
    CHECK(ARMCI_Free_local(use_at_exit) == 0);
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
    if (failures > 0)
        std::_Exit(1);
}

void ends_at_exit()
{
    std::atexit(end_at_exit);
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use_at_exit = ARMCI_Malloc_local(64);
    use();
    std::exit(0);
}

void cleans_up()
{
    CHECK(ARMCI_Init() == 0);
    use();
    ARMCI_Cleanup();
    CHECK(ARMCI_Finalize() == 0);
    ARMCI_Cleanup();
}

} // namespace

const Ways& no_finalize()
{
    static const Ways ways{
        {"only_mpi_ends", only_mpi_ends},
        {"just_exits", just_exits},
        {"ends_at_exit", ends_at_exit},
        {"cleans_up", cleans_up},
    };
    return ways;
}

} // namespace lives
