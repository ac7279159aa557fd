#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/checked_call.hpp"
#include "armci/include/armcix.h"

#include <utility>

using namespace armci;

namespace {

MutexHandle* find_handle(const char* call, armcix_mutex_hdl_t hdl)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, call, nullptr);
    if (MutexHandle* const handle = runtime->mutex_handles().find(hdl))
        return handle;
    diag::reject(call, "mutex handle %p does not exist; it was never created or is destroyed already",
                 static_cast<void*>(hdl));
    return nullptr;
}

// The rank in the handle's group of an absolute id, -1 after saying that there is none.
int owner_rank(const char* call, const MutexHandle& handle, int proc)
{
    const auto processes = static_cast<int>(running_quietly()->processes());
    const int rank = proc < 0 || proc >= processes ? -1 : handle.group->rank_of(proc);
    if (rank < 0)
        diag::reject(call,
                     "process %d is no member of the group of %d processes that these mutexes belong to",
                     proc, handle.group->size());
    return rank;
}

mutex::MutexSet* world_set(const char* call)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, call, nullptr);
    if (!runtime->mutexes)
        diag::reject(call, "no mutexes exist; call ARMCI_Create_mutexes first");
    return runtime->mutexes.get();
}

} // namespace

extern "C" {

int PARMCI_Create_mutexes(int count)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Create_mutexes", diag::rejected);
    if (runtime->mutexes)
        return diag::reject("ARMCI_Create_mutexes",
                            "mutexes exist already; call ARMCI_Destroy_mutexes first");
    const CheckedCall checked("ARMCI_Create_mutexes", runtime->groups().world());
    runtime->mutexes = mutex::MutexSet::create("ARMCI_Create_mutexes", runtime->groups().world().team(),
                                               runtime->memory(), runtime->settings(), count);
    return runtime->mutexes ? 0 : diag::rejected;
}

int PARMCI_Destroy_mutexes(void)
{
    mutex::MutexSet* const set = world_set("ARMCI_Destroy_mutexes");
    if (set == nullptr)
        return diag::rejected;
    const CheckedCall checked("ARMCI_Destroy_mutexes", running_quietly()->groups().world());
    if (const int error = set->close("ARMCI_Destroy_mutexes"))
        return error;
    running_quietly()->mutexes.reset();
    return 0;
}

void PARMCI_Lock(int mutex, int proc)
{
    if (mutex::MutexSet* const set = world_set("ARMCI_Lock"))
        set->lock("ARMCI_Lock", mutex, proc);
}

void PARMCI_Unlock(int mutex, int proc)
{
    if (mutex::MutexSet* const set = world_set("ARMCI_Unlock"))
        set->unlock("ARMCI_Unlock", mutex, proc);
}

armcix_mutex_hdl_t PARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group_handle)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCIX_Create_mutexes_hdl", nullptr);
    Group* const group = runtime->groups().find("ARMCIX_Create_mutexes_hdl", group_handle);
    if (group == nullptr)
        return nullptr;
    auto handle = std::make_unique<MutexHandle>();
    handle->group = group;
    handle->set = mutex::MutexSet::create("ARMCIX_Create_mutexes_hdl", group->team(), runtime->memory(),
                                          runtime->settings(), count);
    if (!handle->set)
        return nullptr;
    handle->my_count = handle->set->my_count();
    handle->max_count = handle->set->most_count();
    handle->grp = group->handle();
    return runtime->mutex_handles().add(std::move(handle));
}

int PARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl)
{
    MutexHandle* const handle = find_handle("ARMCIX_Destroy_mutexes_hdl", hdl);
    if (handle == nullptr)
        return diag::rejected;
    if (const int error = handle->set->close("ARMCIX_Destroy_mutexes_hdl"))
        return error;
    running_quietly()->mutex_handles().remove(hdl).reset();
    return 0;
}

void PARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    if (MutexHandle* const handle = find_handle("ARMCIX_Lock_hdl", hdl))
        if (const int owner = owner_rank("ARMCIX_Lock_hdl", *handle, proc); owner >= 0)
            handle->set->lock("ARMCIX_Lock_hdl", mutex, owner);
}

int PARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    MutexHandle* const handle = find_handle("ARMCIX_Trylock_hdl", hdl);
    bool taken = false;
    if (handle != nullptr)
        if (const int owner = owner_rank("ARMCIX_Trylock_hdl", *handle, proc); owner >= 0)
            handle->set->try_lock("ARMCIX_Trylock_hdl", mutex, owner, taken);
    return taken ? 0 : 1;
}

void PARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    if (MutexHandle* const handle = find_handle("ARMCIX_Unlock_hdl", hdl))
        if (const int owner = owner_rank("ARMCIX_Unlock_hdl", *handle, proc); owner >= 0)
            handle->set->unlock("ARMCIX_Unlock_hdl", mutex, owner);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Create_mutexes, PARMCI_Create_mutexes);
ARMCI_WEAK_ALIAS(ARMCI_Destroy_mutexes, PARMCI_Destroy_mutexes);
ARMCI_WEAK_ALIAS(ARMCI_Lock, PARMCI_Lock);
ARMCI_WEAK_ALIAS(ARMCI_Unlock, PARMCI_Unlock);
ARMCI_WEAK_ALIAS(ARMCIX_Create_mutexes_hdl, PARMCIX_Create_mutexes_hdl);
ARMCI_WEAK_ALIAS(ARMCIX_Destroy_mutexes_hdl, PARMCIX_Destroy_mutexes_hdl);
ARMCI_WEAK_ALIAS(ARMCIX_Lock_hdl, PARMCIX_Lock_hdl);
ARMCI_WEAK_ALIAS(ARMCIX_Trylock_hdl, PARMCIX_Trylock_hdl);
ARMCI_WEAK_ALIAS(ARMCIX_Unlock_hdl, PARMCIX_Unlock_hdl);
