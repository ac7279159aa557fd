#include "armci/base/one_component.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/same_on_all.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armci {

#if defined(OPEN_MPI)

namespace {

// What decides on the component, and what a window over this process alone got.
struct Choice {
    char osc[128];
    char receives[16];
    int level;
    char component[32];
};

void copy_variable(const char* name, char* to, std::size_t room)
{
    const char* const value = std::getenv(name);
    std::snprintf(to, room, "%s", value == nullptr ? "not set" : value);
}

Choice my_choice()
{
    Choice choice{};
    copy_variable("OMPI_MCA_osc", choice.osc, sizeof choice.osc);
    copy_variable("OMPI_MCA_osc_pt2pt_receive_count", choice.receives, sizeof choice.receives);
    mpi::check(MPI_Query_thread(&choice.level), "MPI_Query_thread");
    // Lower levels are one to the components.
    choice.level = choice.level == MPI_THREAD_MULTIPLE ? 1 : 0;
    return choice;
}

// The component by the window's name, "pt2pt window 3"; "none" where MPI makes no window.
void look_alone(Choice& choice)
{
    static char memory[64];
    const mpi::Comm self = mpi::Comm::duplicate(MPI_COMM_SELF);
    mpi::check(MPI_Comm_set_errhandler(self.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    MPI_Win window = MPI_WIN_NULL;
    std::snprintf(choice.component, sizeof choice.component, "none");
    if (MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, self.get(), &window) != MPI_SUCCESS)
        return;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    mpi::check(MPI_Win_get_name(window, name, &length), "MPI_Win_get_name");
    name[std::strcspn(name, " ")] = '\0';
    std::snprintf(choice.component, sizeof choice.component, "%.31s", name);
    mpi::check(MPI_Win_free(&window), "MPI_Win_free");
}

const char* level_of(const Choice& choice)
{
    return choice.level != 0 ? "MPI_THREAD_MULTIPLE" : "a lower one";
}

} // namespace

void require_one_component(MPI_Comm world)
{
    int me = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    Choice mine = my_choice();
    if (same_on_all({reinterpret_cast<const char*>(&mine), sizeof mine}, world))
        return;
    look_alone(mine);
    Choice first = mine;
    mpi::broadcast(&first, sizeof first, 0, world);
    // The lowest process that sees another component, that has another list of them, and other receives.
    std::array<int, 3> lowest{INT_MAX, INT_MAX, INT_MAX};
    if (std::strcmp(mine.component, first.component) != 0)
        lowest[0] = me;
    if (std::strcmp(mine.osc, first.osc) != 0)
        lowest[1] = me;
    if (std::strcmp(mine.receives, first.receives) != 0)
        lowest[2] = me;
    mpi::allreduce(lowest.data(), 3, MPI_INT, MPI_MIN, world);
    if (lowest[0] != INT_MAX)
        diag::fatal_together(
            me == lowest[0], "ARMCI_Init",
            "MPI's one-sided component is %s on this process and %s on process 0, and a window over both "
            "would wait for ever; OMPI_MCA_osc is %s here and %s there, MPI's level of threads is %s here "
            "and %s there: give all processes one OMPI_MCA_osc ('mpirun --mca osc') and one level "
            "(MPI_Init_thread)",
            mine.component, first.component, mine.osc, first.osc, level_of(mine), level_of(first));
    if (lowest[2] != INT_MAX)
        traits::expect_other_receives_elsewhere();
    if (me == lowest[1])
        diag::warn("OMPI_MCA_osc is %s here and %s on process 0; if the start does not go on, MPI has taken "
                   "different one-sided components: give all processes the same by 'mpirun --mca osc'",
                   mine.osc, first.osc);
}

#else

void require_one_component(MPI_Comm /*world*/) {}

#endif

} // namespace armci
