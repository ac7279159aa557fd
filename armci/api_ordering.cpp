#include "armci/api.hpp"

#include "gmr/target.hpp"

#include <atomic>

using namespace armci;

// On the node an operation is complete at the target when its stores are ordered before what follows.
namespace {
void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
} // namespace

extern "C" {

void PARMCI_Fence(int proc)
{
    if (gmr::check_process("ARMCI_Fence", proc) == 0) fence();
}

void PARMCI_AllFence(void)
{
    if (running("ARMCI_AllFence") != nullptr) fence();
}

void PARMCI_GroupFence(ARMCI_Group* group)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_GroupFence", );
    if (runtime->groups().find("ARMCI_GroupFence", group) != nullptr) fence();
}

void PARMCI_Barrier(void)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Barrier", );
    fence();
    runtime->groups().world().team().barrier();
}

int armci_notify(int proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_notify", 0);
    return gmr::check_process("armci_notify", proc) == 0 ? runtime->notifier().notify(proc) : 0;
}

int armci_notify_wait(int proc, int* pval)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_notify_wait", diag::rejected);
    if (const int error = gmr::check_process("armci_notify_wait", proc)) return error;
    const int number = runtime->notifier().wait(proc);
    if (pval != nullptr) *pval = number;
    return 0;
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Fence, PARMCI_Fence);
ARMCI_WEAK_ALIAS(ARMCI_AllFence, PARMCI_AllFence);
ARMCI_WEAK_ALIAS(ARMCI_GroupFence, PARMCI_GroupFence);
ARMCI_WEAK_ALIAS(ARMCI_Barrier, PARMCI_Barrier);
