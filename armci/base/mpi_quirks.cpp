#include "armci/base/mpi_quirks.hpp"

#include "armci/base/diagnostics.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armci::quirks {
namespace {

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
// Open MPI 4.1, as Debian configures it (osc = ^ucx,pt2pt), has no component that makes a window over TCP:
// MPI_ERR_WIN. osc/ucx loses accumulates (ompi 14175, 14181), and osc/rdma crashes in a compare-and-swap to
// self and mixes up windows that sibling groups make at the same time (docs/mpi-facts.md). What is left,
// osc/sm on a node and osc/pt2pt, is right. MPI_Init reads the choice, so it is made when this library is
// loaded, before main. What the user gave to mpirun --mca or put into the environment stands.
[[gnu::constructor]] void choose_osc_of_open_mpi()
{
    setenv("OMPI_MCA_osc", "^ucx,rdma", 0);
}
#endif

// MPICH's version as one number, 400200 for 4.0.2; 0 for another library.
int mpich_version()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const char* const found = std::strstr(text, "MPICH Version:");
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (found == nullptr || std::sscanf(found, "MPICH Version: %d.%d.%d", &major, &minor, &patch) < 2)
        return 0;
    return major * 100000 + minor * 10000 + patch * 100;
}

} // namespace

WindowFlavour usable(WindowFlavour wanted, bool complain)
{
    // mpich 6140, fixed in 4.0.3: memory that MPI allocates for a window is overwritten by another address.
    const int version = mpich_version();
    const bool allocates = wanted == WindowFlavour::allocate || wanted == WindowFlavour::shared;
    if (!allocates || version == 0 || version >= 400300)
        return wanted;
    if (complain)
        diag::warn("this MPICH gives wrong memory to windows that it allocates (mpich 6140, fixed in 4.0.3); "
                   "ARMCI_WINDOW=create is used instead");
    return WindowFlavour::create;
}

Ordering usable(Ordering wanted, bool complain)
{
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
    // osc/pt2pt lets an MPI_Rget_accumulate overtake an MPI_Raccumulate of the same bytes (tests/litmus shows it).
    if (wanted == Ordering::accumulate && complain)
        diag::warn("Open MPI 4 does not keep accumulates in order; ARMCI_ORDERING=flush is used instead");
    return Ordering::flush;
#else
    static_cast<void>(complain);
    return wanted;
#endif
}

bool rget_of_derived_types()
{
    // mpich 7898: on ch4:ucx the request is complete before the data is there; seen with 4.0.2 and 5.
    static const bool right = mpich_version() == 0;
    return right;
}

bool flush_local_hangs()
{
    // Open MPI's osc/pt2pt (gone in version 5) waits for what lies unsent for other ranks, and does not send it.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
    return true;
#else
    return false;
#endif
}

void explain_window_failure(const char* call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    int error_class = MPI_ERR_OTHER;
    MPI_Error_class(code, &error_class);
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    const char* cure = "";
    if (error_class == MPI_ERR_WIN)
        cure = level == MPI_THREAD_MULTIPLE ? "; Open MPI 4 has no windows over TCP with "
                                              "MPI_THREAD_MULTIPLE: start MPI with a lower thread level"
                                            : "; Open MPI 4 found no one-sided component for this network: "
                                              "start the job with '--mca osc ^ucx,rdma' "
                                              "(this library asks for that by itself unless OMPI_MCA_osc is "
                                              "set, or it is opened by dlopen after "
                                              "MPI_Init)";
    diag::fatal(call, "MPI cannot make the window: %s%s", text, cure);
}

} // namespace armci::quirks
