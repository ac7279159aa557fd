#include "armci/base/mpi_quirks.hpp"

#include "armci/base/diagnostics.hpp"

namespace armci::quirks {

void explain_window_failure(const char* call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    int error_class = MPI_ERR_OTHER;
    MPI_Error_class(code, &error_class);
    diag::fatal(call, "MPI cannot make the window: %s.%s", text,
                error_class == MPI_ERR_WIN
                    ? " Open MPI 4 chooses osc/rdma over TCP and fails in it; start the job with '--mca osc pt2pt'"
                    : "");
}

} // namespace armci::quirks
