#include "armci/api.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/memory/miss.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/transfer/remote.hpp"
#include "gmr/world_barrier.hpp"

#include <atomic>

using namespace armci;

namespace {

void complete(int process)
{
    if (!gmr::peers.network)
        return;
    if (process == gmr::all_processes)
        gmr::remote::fence_all();
    else
        gmr::remote::fence(process);
}

[[gnu::noinline]] void complete_observed(const char* call, int process)
{
    const observe::Waiting waiting(call, observe::Wait::fence);
    complete(process);
    if (check::active)
        check::completed(call, process, true, false);
}

// On the node an operation is complete at the target when its stores are ordered before what follows.
void fence(const char* call, int process)
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!gmr::peers.quiet)
        complete_observed(call, process);
}

void barrier(Runtime& runtime)
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    complete(gmr::all_processes);
    gmr::world_barrier(runtime.groups().world().team());
    if (gmr::Translation* const network = runtime.memory().network())
        network->sync();
}

[[gnu::cold, gnu::noinline]] void barrier_observed(Runtime& runtime)
{
    const MPI_Comm world = runtime.groups().world().team().comm();
    const observe::Waiting waiting("ARMCI_Barrier", observe::Wait::barrier);
    check::agree("ARMCI_Barrier", world);
    barrier(runtime);
    check::completed("ARMCI_Barrier", gmr::all_processes, true, false);
    check::completed("ARMCI_Barrier", gmr::all_processes, false, true); // gets without a handle, too
    check::barrier(world);
}

std::uint64_t notification(int from, int to)
{
    return check::object(check::Object::notify, static_cast<std::uint64_t>(from),
                         static_cast<std::uint64_t>(to));
}

} // namespace

extern "C" {

void PARMCI_Fence(int proc)
{
    if (gmr::check_process("ARMCI_Fence", proc) == 0)
        fence("ARMCI_Fence", proc);
}

void PARMCI_AllFence(void)
{
    // running() words what is wrong where it is not, and is a call that costs as much as the fence.
    if (gmr::peers.processes != 0 || running("ARMCI_AllFence") != nullptr)
        fence("ARMCI_AllFence", gmr::all_processes);
}

void PARMCI_GroupFence(ARMCI_Group* handle)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_GroupFence", );
    const Group* const group = runtime->groups().find("ARMCI_GroupFence", handle);
    if (group == nullptr)
        return;
    for (const int process : group->members())
        fence("ARMCI_GroupFence", process);
}

void PARMCI_Barrier(void)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Barrier", );
    if (observe::active) [[unlikely]]
        barrier_observed(*runtime);
    else
        barrier(*runtime);
}

int armci_notify(int proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_notify", 0);
    if (gmr::check_process("armci_notify", proc) != 0)
        return 0;
    if (check::active) [[unlikely]]
        check::release(notification(runtime->me(), proc));
    return runtime->notifier().notify(proc);
}

int armci_notify_wait(int proc, int* pval)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_notify_wait", diag::rejected);
    if (const int error = gmr::check_process("armci_notify_wait", proc))
        return error;
    const int number = runtime->notifier().wait(proc);
    if (check::active) [[unlikely]]
        check::acquire(notification(proc, runtime->me()));
    if (pval != nullptr)
        *pval = number;
    return 0;
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Fence, PARMCI_Fence);
ARMCI_WEAK_ALIAS(ARMCI_AllFence, PARMCI_AllFence);
ARMCI_WEAK_ALIAS(ARMCI_GroupFence, PARMCI_GroupFence);
ARMCI_WEAK_ALIAS(ARMCI_Barrier, PARMCI_Barrier);
