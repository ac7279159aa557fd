#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/include/armcix.h"

using namespace armci;

extern "C" {

void PARMCI_Access_begin(void* ptr)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Access_begin", );
    if (runtime->memory().begin_access("ARMCI_Access_begin", ptr) != 0)
        return;
    if (gmr::Translation* const network = runtime->memory().network())
        network->sync();
}

void PARMCI_Access_end(void* ptr)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Access_end", );
    if (runtime->memory().end_access("ARMCI_Access_end", ptr) != 0)
        return;
    if (gmr::Translation* const network = runtime->memory().network())
        network->sync();
}

int PARMCIX_Mode_set(int mode, void* ptr, ARMCI_Group* handle)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCIX_Mode_set", diag::rejected);
    constexpr int all =
        ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE | ARMCIX_MODE_READ_ONLY | ARMCIX_MODE_ACC_ONLY;
    constexpr int contradiction = ARMCIX_MODE_READ_ONLY | ARMCIX_MODE_ACC_ONLY;
    Group* const group = runtime->groups().find("ARMCIX_Mode_set", handle);
    if (group == nullptr)
        return diag::rejected;
    const bool known = (mode & ~all) == 0 && (mode & contradiction) != contradiction;
    return runtime->memory().set_mode("ARMCIX_Mode_set", group->team(), ptr, mode, known);
}

int PARMCIX_Mode_get(void* ptr)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCIX_Mode_get", -1);
    return runtime->memory().mode("ARMCIX_Mode_get", ptr);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Access_begin, PARMCI_Access_begin);
ARMCI_WEAK_ALIAS(ARMCI_Access_end, PARMCI_Access_end);
ARMCI_WEAK_ALIAS(ARMCIX_Mode_set, PARMCIX_Mode_set);
ARMCI_WEAK_ALIAS(ARMCIX_Mode_get, PARMCIX_Mode_get);
