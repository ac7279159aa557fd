// Collective steps.
#include "tests/oracle/executor.hpp"

#include "tests/oracle/messages.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace oracle {

bool Executor::has_part(int group) const
{
    const List& members = truth_.rules().groups().at(group);
    return std::find(members.begin(), members.end(), me_) != members.end();
}

std::byte* Executor::address(int region, int target, long at) const
{
    return static_cast<std::byte*>(bases_.at(region)[static_cast<std::size_t>(target)]) + at;
}

void Executor::collective(int index)
{
    const Step& step = step_at(index);
    operations_ += step.verb == Verb::block ? 0 : 1;
    switch (step.verb) {
    case Verb::group:
        return group(step);
    case Verb::group_free:
        if (groups_.count(step.group) != 0) {
            if (groups_[step.group].rank >= 0)
                ARMCI_Group_free(&groups_[step.group]);
            groups_.erase(step.group);
        }
        return;
    case Verb::alloc:
        return allocate(step);
    case Verb::free:
        return free_region(step.region);
    case Verb::mutexes:
        return make_mutexes(step);
    case Verb::mutexes_free:
        return free_mutexes();
    case Verb::mode: {
        const Rules::Region& region = truth_.rules().regions().at(step.region);
        ARMCI_Group& members = groups_[region.group];
        if (members.rank >= 0 &&
            ARMCIX_Mode_set(static_cast<int>(step.value), bases_[step.region][static_cast<std::size_t>(me_)],
                            region.group == 0 ? nullptr : &members) != 0)
            report(index, "ARMCIX_Mode_set refuses");
        armci_msg_barrier(); // processes outside keep the promise, too
        return;
    }
    case Verb::barrier:
        if (step.group == 0 && step.variant == 0)
            armci_msg_barrier();
        else if (groups_[step.group].rank >= 0)
            armci_msg_group_barrier(&groups_[step.group]);
        return;
    case Verb::block:
        fill_block(step);
        if (static_cast<std::size_t>(index) + 1 == program_.steps.size() ||
            step_at(index + 1).verb != Verb::block)
            armci_msg_barrier();
        return;
    default:
        return message_of_all(index);
    }
}

void Executor::group(const Step& step)
{
    ARMCI_Group& made = groups_[step.id];
    made = {};
    made.rank = -1;
    std::vector<int> members(step.members.begin(), step.members.end());
    const auto mine = std::find(members.begin(), members.end(), me_);
    switch (step.variant) {
    case 0: // by everybody
        ARMCI_Group_create(static_cast<int>(members.size()), members.data(), &made);
        break;
    case 1:
        if (mine != members.end())
            ARMCI_Group_create_child(static_cast<int>(members.size()), members.data(), &made, &groups_[0]);
        break;
    default:
        ARMCIX_Group_split(&groups_[0], mine == members.end() ? -1 : 1,
                           static_cast<int>(mine - members.begin()), &made);
        if (mine == members.end())
            made.rank = -1;
    }
    if (mine == members.end())
        return;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (ARMCI_Absolute_id(&made, static_cast<int>(i)) != members[i])
            report(-1, text_of(step) + ": rank " + std::to_string(i) + " is another process");
}

void Executor::allocate(const Step& step)
{
    const List& members = truth_.rules().groups().at(step.group);
    std::vector<void*>& all = bases_[step.id];
    all.assign(static_cast<std::size_t>(program_.ranks), nullptr);
    const auto mine = std::find(members.begin(), members.end(), me_);
    if (mine != members.end()) {
        std::vector<void*> given(members.size());
        const auto rank = static_cast<std::size_t>(mine - members.begin());
        const int failed = step.group == 0 && step.variant == 0 ? ARMCI_Malloc(given.data(), step.sizes[rank])
                           : step.group == 0 && step.variant == 1
                               ? ARMCI_Malloc_memdev(given.data(), step.sizes[rank], "any")
                               : ARMCI_Malloc_group(given.data(), step.sizes[rank], &groups_[step.group]);
        if (failed != 0)
            report(-1, text_of(step) + ": refused");
        for (std::size_t i = 0; i < members.size(); ++i)
            all[static_cast<std::size_t>(members[i])] = given[i];
        const Bytes content = noise(step.sizes[rank], step.data + rank);
        const DirectAccess access(*this, content.empty() ? nullptr : given[rank]);
        if (!content.empty())
            std::memcpy(given[rank], content.data(), content.size());
    }
    // Also to processes outside of the group.
    std::vector<void*> own(all.size(), nullptr);
    own[static_cast<std::size_t>(me_)] = all[static_cast<std::size_t>(me_)];
    armci_exchange_address(own.data(), static_cast<int>(own.size()));
    if (mine != members.end() && own != all)
        report(-1, text_of(step) + ": members were given other addresses");
    all = own;
    armci_msg_barrier();
}

void Executor::fill_block(const Step& step)
{
    if (step.target != me_)
        return;
    const DirectAccess access(*this, address(step.region, me_, step.at));
    for (long row = 0; row < step.rows; ++row)
        fill(address(step.region, me_, step.at + row * step.pitch), step.bytes, step.type, step.data,
             row * step.bytes);
}

void Executor::free_region(int id)
{
    const auto& region = truth_.rules().regions().at(id);
    ARMCI_Group& members = groups_[region.group];
    void* const mine = bases_[id][static_cast<std::size_t>(me_)];
    if (members.rank >= 0 && (region.group == 0 ? ARMCI_Free(mine) : ARMCI_Free_group(mine, &members)) != 0)
        report(-1, "the free of region " + std::to_string(id) + " is refused");
    bases_.erase(id);
}

void Executor::make_mutexes(const Step& step)
{
    const int count = static_cast<int>(step.sizes[static_cast<std::size_t>(me_)]);
    if (step.variant == 0)
        ARMCI_Create_mutexes(count);
    else
        mutex_set_ = ARMCIX_Create_mutexes_hdl(count, &groups_[0]);
    has_mutexes_ = true;
}

void Executor::free_mutexes()
{
    if (mutex_set_ != nullptr)
        ARMCIX_Destroy_mutexes_hdl(mutex_set_);
    else
        ARMCI_Destroy_mutexes();
    mutex_set_ = nullptr;
    has_mutexes_ = false;
}

void Executor::message_of_all(int index)
{
    const Step& step = step_at(index);
    Task& task = tasks_.at(index);
    ARMCI_Group& group = groups_[step.group];
    if (group.rank < 0)
        return;
    const List members =
        scope_members(step.scope, truth_.rules().groups().at(step.group), truth_.nodes(), me_);
    char op[16];
    std::snprintf(op, sizeof op, "%s", operators[step.op]);
    const int n = static_cast<int>(step.bytes), type = static_cast<int>(step.value);
    void* const x = task.buffer;
    if (step.verb == Verb::broadcast) {
        // A process that is out of the scope names one that is in.
        const int root = members.empty() ? static_cast<int>(truth_.rules().groups().at(step.group)[0])
                                         : root_of(step, members);
        if (step.group != 0 || step.variant == 2)
            armci_msg_group_bcast_scope(step.scope, x, n, root, &group);
        else if (step.scope == SCOPE_ALL && step.variant == 1)
            armci_msg_brdcst(x, n, root);
        else
            armci_msg_bcast_scope(step.scope, x, n, root);
    } else if (step.verb == Verb::select) {
        armci_msg_sel_scope(step.scope, x, n, op, type, competes(step, me_) ? 1 : 0);
    } else if (step.variant == 1) {
        armci_msg_reduce_scope(step.scope, x, n, op, type);
    } else if (step.group != 0 || step.variant == 2) {
        armci_msg_group_gop_scope(step.scope, x, n, op, type, &group);
    } else if (step.scope == SCOPE_ALL && step.variant == 3) {
        type == ARMCI_INT         ? armci_msg_igop(static_cast<int*>(x), n, op)
        : type == ARMCI_LONG      ? armci_msg_lgop(static_cast<long*>(x), n, op)
        : type == ARMCI_LONG_LONG ? armci_msg_llgop(static_cast<long long*>(x), n, op)
        : type == ARMCI_FLOAT     ? armci_msg_fgop(static_cast<float*>(x), n, op)
                                  : armci_msg_dgop(static_cast<double*>(x), n, op);
    } else {
        armci_msg_gop_scope(step.scope, x, n, op, type);
    }
    if (!members.empty())
        look(index);
}

} // namespace oracle
