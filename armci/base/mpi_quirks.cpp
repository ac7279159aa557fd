#include "armci/base/mpi_quirks.hpp"

#include "armci/base/diagnostics.hpp"

#include <cstdlib>

namespace armci::quirks {
namespace {

// Open MPI 4.1, as Debian configures it (osc = ^ucx,pt2pt): osc/rdma does not serve btl/tcp, osc/pt2pt is shut out, and
// every window over several hosts fails with MPI_ERR_WIN. MPI_Init reads the choice, so it is corrected when this
// library is loaded, before main. What the user chose by mpirun --mca or in the environment stands.
// See docs/mpi-facts.md; related: open-mpi/ompi 2614, 5200.
[[gnu::constructor]] void let_open_mpi_use_pt2pt() { setenv("OMPI_MCA_osc", "^ucx", 0); }

} // namespace

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
        cure = level == MPI_THREAD_MULTIPLE
                   ? "; Open MPI 4 has no windows over TCP with MPI_THREAD_MULTIPLE: start MPI with a lower thread level"
                   : "; Open MPI 4 found no one-sided component for this network: start the job with '--mca osc ^ucx' "
                     "(this library asks for that by itself unless OMPI_MCA_osc is set, or it is opened by dlopen after "
                     "MPI_Init)";
    diag::fatal(call, "MPI cannot make the window: %s%s", text, cure);
}

} // namespace armci::quirks
