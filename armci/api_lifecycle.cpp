#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"

using namespace armci;

namespace {

// StartRequest takes MPI_COMM_NULL for the world, which a process that MPI_Comm_split left out must not join.
int start_on(MPI_Comm comm, const StartRequest& request)
{
    if (comm == MPI_COMM_NULL)
        return diag::reject(request.call,
                            "the communicator is MPI_COMM_NULL; only members of one may start on it");
    return start(request);
}

} // namespace

extern "C" {

int PARMCI_Init(void)
{
    return start({.call = "ARMCI_Init"});
}

int PARMCI_Init_args(int* argc, char*** argv)
{
    return start({.call = "ARMCI_Init_args", .argc = argc, .argv = argv});
}

int PARMCI_Init_thread(int requested)
{
    return start({.call = "ARMCI_Init_thread", .thread_level = requested});
}

int PARMCI_Init_thread_comm(int requested, MPI_Comm comm)
{
    return start_on(comm, {.call = "ARMCI_Init_thread_comm", .thread_level = requested, .comm = comm});
}

int PARMCI_Init_mpi_comm(MPI_Comm comm)
{
    return start_on(comm, {.call = "ARMCI_Init_mpi_comm", .comm = comm}) == 0 ? 1 : 0;
}

int PARMCI_Initialized(void)
{
    return running_quietly() != nullptr ? 1 : 0;
}

int PARMCI_Finalize(void)
{
    return stop("ARMCI_Finalize");
}

// All that the library shares ends with its processes (memfd, unlinked shared memory), so an abnormal exit
// leaves nothing for this call to remove.
void PARMCI_Cleanup(void) {}

void PARMCI_Error(const char* message, int code)
{
    diag::warn("ARMCI_Error: %s (code %d)", message != nullptr ? message : "", code);
    diag::end_job(code);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Init, PARMCI_Init);
ARMCI_WEAK_ALIAS(ARMCI_Init_args, PARMCI_Init_args);
ARMCI_WEAK_ALIAS(ARMCI_Init_thread, PARMCI_Init_thread);
ARMCI_WEAK_ALIAS(ARMCI_Init_thread_comm, PARMCI_Init_thread_comm);
ARMCI_WEAK_ALIAS(ARMCI_Init_mpi_comm, PARMCI_Init_mpi_comm);
ARMCI_WEAK_ALIAS(ARMCI_Initialized, PARMCI_Initialized);
ARMCI_WEAK_ALIAS(ARMCI_Finalize, PARMCI_Finalize);
ARMCI_WEAK_ALIAS(ARMCI_Cleanup, PARMCI_Cleanup);
ARMCI_WEAK_ALIAS(ARMCI_Error, PARMCI_Error);
