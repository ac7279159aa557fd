#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/include/armcix.h"

using namespace armci;

namespace {

// True when `group` may be written to.
bool writable(const char* call, const ARMCI_Group* group)
{
    if (group != nullptr)
        return true;
    diag::reject(call, "the group to fill is NULL");
    return false;
}

void create(const char* call, Runtime& runtime, Group& parent, int count, const int* members,
            ARMCI_Group* group_out)
{
    if (writable(call, group_out))
        runtime.groups().create(call, parent, count, members, *group_out);
}

} // namespace

extern "C" {

void PARMCI_Group_create(int count, int* members, ARMCI_Group* group_out)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_create", );
    create("ARMCI_Group_create", *runtime, runtime->groups().default_group(), count, members, group_out);
}

void PARMCI_Group_create_child(int count, int* members, ARMCI_Group* group_out, ARMCI_Group* parent)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_create_child", );
    if (Group* const found = runtime->groups().find("ARMCI_Group_create_child", parent))
        create("ARMCI_Group_create_child", *runtime, *found, count, members, group_out);
}

void PARMCI_Group_free(ARMCI_Group* group)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_free", );
    if (group == nullptr || group->comm == MPI_COMM_NULL)
        return; // empty, or not a member: nothing is held
    Group* const found = runtime->groups().find("ARMCI_Group_free", group);
    if (found == nullptr)
        return;
    if (found == &runtime->groups().world()) {
        diag::reject("ARMCI_Group_free", "the group is the world; it lives until ARMCI_Finalize");
        return;
    }
    runtime->groups().free(*found, runtime->memory().in_use(found->team()) ||
                                       runtime->mutex_handles().are_on(*found));
    *group = outside_group();
}

int PARMCI_Group_rank(ARMCI_Group* group, int* rank)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_rank", diag::rejected);
    if (group == nullptr || rank == nullptr)
        return diag::reject("ARMCI_Group_rank", "the group or the result is NULL");
    *rank = group->rank;
    return group->rank < 0 ? diag::rejected : 0;
}

void PARMCI_Group_size(ARMCI_Group* group, int* size)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_size", );
    if (group == nullptr || size == nullptr)
        diag::reject("ARMCI_Group_size", "the group or the result is NULL");
    else
        *size = group->size;
}

void PARMCI_Group_set_default(ARMCI_Group* group)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_set_default", );
    if (Group* const found = runtime->groups().find("ARMCI_Group_set_default", group))
        runtime->groups().set_default(*found);
}

void PARMCI_Group_get_default(ARMCI_Group* group_out)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_get_default", );
    if (writable("ARMCI_Group_get_default", group_out))
        *group_out = runtime->groups().default_group().handle();
}

void PARMCI_Group_get_world(ARMCI_Group* group_out)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Group_get_world", );
    if (writable("ARMCI_Group_get_world", group_out))
        *group_out = runtime->groups().world().handle();
}

int PARMCI_Absolute_id(ARMCI_Group* group, int group_rank)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Absolute_id", -1);
    const Group* const found = runtime->groups().find("ARMCI_Absolute_id", group);
    if (found == nullptr)
        return -1;
    if (group_rank >= 0 && group_rank < found->size())
        return found->absolute(group_rank);
    diag::reject("ARMCI_Absolute_id", "group rank is %d; it must be 0 to %d", group_rank, found->size() - 1);
    return -1;
}

int PARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* group_out)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCIX_Group_split", diag::rejected);
    Group* const found = runtime->groups().find("ARMCIX_Group_split", parent);
    if (found == nullptr || !writable("ARMCIX_Group_split", group_out))
        return diag::rejected;
    *group_out = runtime->groups().split(*found, color, key);
    return 0;
}

int PARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* group_out)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCIX_Group_dup", diag::rejected);
    Group* const found = runtime->groups().find("ARMCIX_Group_dup", parent);
    if (found == nullptr || !writable("ARMCIX_Group_dup", group_out))
        return diag::rejected;
    *group_out = runtime->groups().split(*found, 0, found->rank());
    return 0;
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Group_create, PARMCI_Group_create);
ARMCI_WEAK_ALIAS(ARMCI_Group_create_child, PARMCI_Group_create_child);
ARMCI_WEAK_ALIAS(ARMCI_Group_free, PARMCI_Group_free);
ARMCI_WEAK_ALIAS(ARMCI_Group_rank, PARMCI_Group_rank);
ARMCI_WEAK_ALIAS(ARMCI_Group_size, PARMCI_Group_size);
ARMCI_WEAK_ALIAS(ARMCI_Group_set_default, PARMCI_Group_set_default);
ARMCI_WEAK_ALIAS(ARMCI_Group_get_default, PARMCI_Group_get_default);
ARMCI_WEAK_ALIAS(ARMCI_Group_get_world, PARMCI_Group_get_world);
ARMCI_WEAK_ALIAS(ARMCI_Absolute_id, PARMCI_Absolute_id);
ARMCI_WEAK_ALIAS(ARMCIX_Group_split, PARMCIX_Group_split);
ARMCI_WEAK_ALIAS(ARMCIX_Group_dup, PARMCIX_Group_dup);
