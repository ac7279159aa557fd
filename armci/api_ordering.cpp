#include "armci/api.hpp"

#include "gmr/modes.hpp"
#include "gmr/remote.hpp"
#include "gmr/target.hpp"

#include <atomic>

using namespace armci;

namespace {

// On the node an operation is complete at the target when its stores are ordered before what follows.
void fence(int process)
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (gmr::peers.cpu_atomics)
        return;
    if (process == gmr::all_processes)
        gmr::remote::fence_all();
    else
        gmr::remote::fence(process);
}

} // namespace

extern "C" {

void PARMCI_Fence(int proc)
{
    if (gmr::check_process("ARMCI_Fence", proc) == 0)
        fence(proc);
}

void PARMCI_AllFence(void)
{
    if (running("ARMCI_AllFence") != nullptr)
        fence(gmr::all_processes);
}

void PARMCI_GroupFence(ARMCI_Group* handle)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_GroupFence", );
    const Group* const group = runtime->groups().find("ARMCI_GroupFence", handle);
    if (group == nullptr)
        return;
    for (const int process : group->members())
        fence(process);
}

void PARMCI_Barrier(void)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Barrier", );
    fence(gmr::all_processes);
    gmr::meet(runtime->groups().world().team());
    if (gmr::Network* const network = runtime->memory().network())
        network->sync();
}

int armci_notify(int proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_notify", 0);
    return gmr::check_process("armci_notify", proc) == 0 ? runtime->notifier().notify(proc) : 0;
}

int armci_notify_wait(int proc, int* pval)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_notify_wait", diag::rejected);
    if (const int error = gmr::check_process("armci_notify_wait", proc))
        return error;
    const int number = runtime->notifier().wait(proc);
    if (pval != nullptr)
        *pval = number;
    return 0;
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Fence, PARMCI_Fence);
ARMCI_WEAK_ALIAS(ARMCI_AllFence, PARMCI_AllFence);
ARMCI_WEAK_ALIAS(ARMCI_GroupFence, PARMCI_GroupFence);
ARMCI_WEAK_ALIAS(ARMCI_Barrier, PARMCI_Barrier);
