#include "armci/base/mpi_quirks.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_traits.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

// What an Open MPI over neither UCX nor InfiniBand takes well.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define MOST_COMPONENTS "^ucx"
#else
#define MOST_COMPONENTS "^ucx,rdma"
#endif

namespace armci::quirks {
namespace {

const char* component()
{
    return traits::name_of(traits::in_use.component);
}

} // namespace

bool avoids_split_by_node(int processes)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    const char* const number = std::strstr(version, "MPICH Version:");
    if (number == nullptr || number[std::strcspn(number, "0123456789")] != '4')
        return false;
    constexpr std::array other_nodes{"MPIR_CVAR_NUM_CLIQUES",  "MPIR_CVAR_ODD_EVEN_CLIQUES",
                                     "MPIR_CVAR_NOLOCAL",      "MPICH_NUM_CLIQUES",
                                     "MPICH_ODD_EVEN_CLIQUES", "MPICH_NO_LOCAL"};
    return processes > sysconf(_SC_NPROCESSORS_ONLN) &&
           std::none_of(other_nodes.begin(), other_nodes.end(),
                        [](const char* name) { return std::getenv(name) != nullptr; });
}

WindowFlavour usable(WindowFlavour wanted, bool complain)
{
    const bool allocates = wanted == WindowFlavour::allocate || wanted == WindowFlavour::shared;
    if (!allocates || traits::allocates_windows())
        return wanted;
    if (complain)
        diag::warn("this MPICH gives wrong memory to windows that it allocates (mpich 6140, fixed in 4.0.3); "
                   "ARMCI_WINDOW=create is used instead");
    return WindowFlavour::create;
}

Ordering usable(Ordering wanted, bool complain)
{
    if (traits::in_use.keeps_accumulates_in_order)
        return wanted;
    if (wanted == Ordering::accumulate && complain)
        diag::warn(
            "one-sided operations of this MPI (component %s) are not known to keep accumulates in order; "
            "ARMCI_ORDERING=flush is used instead",
            component());
    return Ordering::flush;
}

IovMethod usable(IovMethod wanted, bool complain)
{
    if (wanted != IovMethod::direct || traits::in_use.derived_types)
        return wanted;
    if (complain)
        diag::warn("one-sided operations of this MPI (component %s) are not good at derived types "
                   "(docs/mpi-facts.md); ARMCI_IOV_METHOD=batched is used instead",
                   component());
    return IovMethod::batched;
}

StridedMethod usable(StridedMethod wanted, bool complain)
{
    const bool derived = wanted == StridedMethod::direct || wanted == StridedMethod::packed;
    if (!derived || traits::in_use.derived_types)
        return wanted;
    if (complain)
        diag::warn("one-sided operations of this MPI (component %s) are not good at derived types "
                   "(docs/mpi-facts.md); ARMCI_STRIDED_METHOD=iov is used instead",
                   component());
    return StridedMethod::iov;
}

void keep_freed_memory()
{
    // glibc maps what is larger than the largest mapped block freed so far, at first 128 KiB, and returns
    // free memory at the heap's end beyond twice that. So one block, never touched, sets both; what the user
    // set by mallopt stands.
    constexpr std::size_t bytes = 8 << 20;
    void* volatile const block = std::malloc(bytes);
    std::free(block);
}

void explain_window_failure(const char* call, int code, MPI_Comm comm)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    int error_class = MPI_ERR_OTHER;
    MPI_Error_class(code, &error_class);
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (error_class != MPI_ERR_WIN)
        diag::fatal(call, "MPI cannot make the window: %s", text);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const char* const cure = level == MPI_THREAD_MULTIPLE
                                 ? "; Open MPI's component pt2pt has no windows with MPI_THREAD_MULTIPLE: "
                                   "start MPI with a lower thread level"
                                 : "; Open MPI found no one-sided component for this network: start the "
                                   "job with '--mca osc " MOST_COMPONENTS "', or over UCX with '--mca osc "
                                   "ucx' (this library asks for the right one by itself unless OMPI_MCA_osc "
                                   "is set, or it is opened by dlopen after MPI_Init)";
    diag::fatal_together(rank == 0, call, "MPI cannot make the window: %s%s", text, cure);
}

} // namespace armci::quirks
