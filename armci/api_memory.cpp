#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/observe.hpp"
#include "armci/checked_call.hpp"
#include "gmr/locate.hpp"
#include "gmr/memory/local_memory.hpp"

using namespace armci;

namespace {

int allocate(const char* call, void** pointers, armci_size_t bytes, const ARMCI_Group* handle)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, call, diag::rejected);
    Group* const group = runtime->groups().find(call, handle);
    if (group == nullptr)
        return diag::rejected;
    const observe::Waiting waiting(call, observe::Wait::allocation);
    const CheckedCall checked(call, *group);
    const bool world = group == &runtime->groups().world();
    const int error = runtime->memory().allocate(call, group->team(), world, pointers, bytes);
    if (check::active && error == 0) [[unlikely]]
        check::allocated(call, pointers[group->rank()], bytes);
    return error;
}

int release(const char* call, void* pointer, const ARMCI_Group* handle)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, call, diag::rejected);
    Group* const group = runtime->groups().find(call, handle);
    if (group == nullptr)
        return diag::rejected;
    const observe::Waiting waiting(call, observe::Wait::allocation);
    const CheckedCall checked(call, *group);
    const int error = runtime->memory().free(call, group->team(), pointer);
    if (check::active && error == 0) [[unlikely]]
        check::freed(pointer);
    return error;
}

} // namespace

extern "C" {

int PARMCI_Malloc(void** base_ptrs, armci_size_t bytes)
{
    return allocate("ARMCI_Malloc", base_ptrs, bytes, nullptr);
}

int PARMCI_Free(void* ptr)
{
    return release("ARMCI_Free", ptr, nullptr);
}

int PARMCI_Malloc_group(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group)
{
    return allocate("ARMCI_Malloc_group", base_ptrs, bytes, group);
}

int PARMCI_Free_group(void* ptr, ARMCI_Group* group)
{
    return release("ARMCI_Free_group", ptr, group);
}

// Ordinary memory is the only device there is (see armci.h).
int PARMCI_Malloc_memdev(void** base_ptrs, armci_size_t bytes, const char*)
{
    return allocate("ARMCI_Malloc_memdev", base_ptrs, bytes, nullptr);
}

int PARMCI_Malloc_group_memdev(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group, const char*)
{
    return allocate("ARMCI_Malloc_group_memdev", base_ptrs, bytes, group);
}

int PARMCI_Free_memdev(void* ptr)
{
    return release("ARMCI_Free_memdev", ptr, nullptr);
}

void* PARMCI_Malloc_local(armci_size_t bytes)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Malloc_local", nullptr);
    return gmr::allocate_local("ARMCI_Malloc_local", bytes);
}

int PARMCI_Free_local(void* ptr)
{
    return gmr::free_local("ARMCI_Free_local", ptr);
}

int PARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Memget", diag::rejected);
    if (meminfo == nullptr)
        return diag::reject("ARMCI_Memget", "meminfo is NULL; it must point to a description");
    void* memory = nullptr;
    if (const int error =
            runtime->memory().allocate_alone("ARMCI_Memget", static_cast<std::int64_t>(bytes), memory))
        return error;
    *meminfo = {};
    meminfo->addr = meminfo->armci_addr = static_cast<char*>(memory);
    meminfo->size = bytes;
    meminfo->cpid = runtime->me();
    return 0;
}

void* PARMCI_Memat(armci_meminfo_t* meminfo, long offset)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Memat", nullptr);
    if (meminfo == nullptr) {
        diag::reject("ARMCI_Memat", "meminfo is NULL; it must be what ARMCI_Memget filled");
        return nullptr;
    }
    if (offset < 0 || static_cast<size_t>(offset) >= meminfo->size) {
        diag::reject("ARMCI_Memat", "offset is %ld; it must be 0 to %zu", offset,
                     meminfo->size - (meminfo->size > 0));
        return nullptr;
    }
    // One address space per node: the creator's address is everybody's.
    const gmr::Target target =
        gmr::locate("ARMCI_Memat", meminfo->cpid, meminfo->armci_addr + offset, 1, gmr::Use::plain);
    if (target.error != 0)
        return nullptr;
    if (target.on_my_node)
        return meminfo->armci_addr + offset;
    diag::reject("ARMCI_Memat",
                 "the memory was made by process %d, on another node; only its node can attach it",
                 meminfo->cpid);
    return nullptr;
}

// Attaching maps nothing, so detaching has only its arguments to check.
void PARMCI_Memdt(armci_meminfo_t* meminfo, long offset)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Memdt", );
    if (meminfo == nullptr)
        diag::reject("ARMCI_Memdt", "meminfo is NULL; it must be what ARMCI_Memget filled");
    else if (offset < 0 || static_cast<size_t>(offset) >= meminfo->size)
        diag::reject("ARMCI_Memdt", "offset is %ld; it must be 0 to %zu", offset,
                     meminfo->size - (meminfo->size > 0));
}

void PARMCI_Memctl(armci_meminfo_t* meminfo)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Memctl", );
    if (meminfo == nullptr) {
        diag::reject("ARMCI_Memctl", "meminfo is NULL; it must be what ARMCI_Memget filled");
    } else if (meminfo->cpid != runtime->me()) {
        diag::reject("ARMCI_Memctl", "the memory was made by process %d; only that process may free it",
                     meminfo->cpid);
    } else if (meminfo->size > 0) {
        runtime->memory().free_alone("ARMCI_Memctl", meminfo->addr);
    }
}

int PARMCI_Uses_shm(void)
{
    Runtime* const runtime = running_quietly();
    return runtime != nullptr && runtime->memory().shared_addresses() ? 1 : 0;
}

int PARMCI_Uses_shm_grp(ARMCI_Group* group)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Uses_shm_grp", 0);
    if (runtime->groups().find("ARMCI_Uses_shm_grp", group) == nullptr)
        return 0;
    return runtime->memory().shared_addresses() ? 1 : 0;
}

void PARMCI_Set_shm_limit(unsigned long bytes)
{
    limit_memory(bytes);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Malloc, PARMCI_Malloc);
ARMCI_WEAK_ALIAS(ARMCI_Free, PARMCI_Free);
ARMCI_WEAK_ALIAS(ARMCI_Malloc_group, PARMCI_Malloc_group);
ARMCI_WEAK_ALIAS(ARMCI_Free_group, PARMCI_Free_group);
ARMCI_WEAK_ALIAS(ARMCI_Malloc_memdev, PARMCI_Malloc_memdev);
ARMCI_WEAK_ALIAS(ARMCI_Malloc_group_memdev, PARMCI_Malloc_group_memdev);
ARMCI_WEAK_ALIAS(ARMCI_Free_memdev, PARMCI_Free_memdev);
ARMCI_WEAK_ALIAS(ARMCI_Malloc_local, PARMCI_Malloc_local);
ARMCI_WEAK_ALIAS(ARMCI_Free_local, PARMCI_Free_local);
ARMCI_WEAK_ALIAS(ARMCI_Memget, PARMCI_Memget);
ARMCI_WEAK_ALIAS(ARMCI_Memat, PARMCI_Memat);
ARMCI_WEAK_ALIAS(ARMCI_Memdt, PARMCI_Memdt);
ARMCI_WEAK_ALIAS(ARMCI_Memctl, PARMCI_Memctl);
ARMCI_WEAK_ALIAS(ARMCI_Uses_shm, PARMCI_Uses_shm);
ARMCI_WEAK_ALIAS(ARMCI_Uses_shm_grp, PARMCI_Uses_shm_grp);
ARMCI_WEAK_ALIAS(ARMCI_Set_shm_limit, PARMCI_Set_shm_limit);
