// What the oracle calls and Debian's libarmci-mpi does not have, so that the oracle's program links with it.
// Programs of `--peer` have none of these calls; each but the first ends the job.
#include <armcix.h>
#include <message.h>

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

[[noreturn]] void is_missing(const char* name)
{
    std::fprintf(stderr, "oracle: the peer has no %s; give --peer\n", name);
    std::abort();
}

} // namespace

// The oracle tells processes outside of a group the addresses by it.
void armci_exchange_address(void* pointers[], int n)
{
    static_assert(sizeof(void*) == sizeof(unsigned long));
    MPI_Allreduce(MPI_IN_PLACE, pointers, n, MPI_UNSIGNED_LONG, MPI_BOR, MPI_COMM_WORLD);
}

int ARMCIX_Mode_set(int, void*, ARMCI_Group*)
{
    is_missing("ARMCIX_Mode_set");
}

void ARMCI_GroupFence(ARMCI_Group*)
{
    is_missing("ARMCI_GroupFence");
}

int ARMCI_PutS_flag_dir(void*, int*, void*, int*, int*, int, int*, int, int)
{
    is_missing("ARMCI_PutS_flag_dir");
}

int armci_notify(int)
{
    is_missing("armci_notify");
}

int armci_notify_wait(int, int*)
{
    is_missing("armci_notify_wait");
}
