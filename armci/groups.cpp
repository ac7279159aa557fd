#include "armci/groups.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/message_tags.hpp"

#include <algorithm>
#include <numeric>

namespace armci {

Group::Group(mpi::Comm comm, std::vector<int> members, const Topology& topology, gmr::Heap& heap)
    : Group(comm.get(), std::move(members), topology, heap)
{
    owned_ = std::move(comm);
}

Group::Group(MPI_Comm comm, std::vector<int> members, const Topology& topology, gmr::Heap& heap)
    : comm_(comm), to_absolute_(std::move(members)),
      to_group_(static_cast<std::size_t>(topology.processes()), -1),
      team_(comm_, to_absolute_, topology, heap)
{
    for (std::size_t rank = 0; rank < to_absolute_.size(); ++rank)
        to_group_[static_cast<std::size_t>(to_absolute_[rank])] = static_cast<int>(rank);
}

ARMCI_Group Group::handle()
{
    return {comm(), MPI_COMM_NULL, to_absolute_.data(), to_group_.data(), rank(), size()};
}

ARMCI_Group outside_group()
{
    return {MPI_COMM_NULL, MPI_COMM_NULL, nullptr, nullptr, -1, 0};
}

Groups::Groups(MPI_Comm world, const Topology& topology, gmr::Heap& heap) : topology_(topology), heap_(heap)
{
    std::vector<int> everybody(static_cast<std::size_t>(topology.processes()));
    std::iota(everybody.begin(), everybody.end(), 0);
    world_ = &adopt(world, std::move(everybody));
    default_ = world_;
}

template <class Comm> // owned or not
Group& Groups::adopt(Comm comm, std::vector<int> members)
{
    auto group = std::make_unique<Group>(std::move(comm), std::move(members), topology_, heap_);
    const std::lock_guard lock(guard_);
    return *(groups_[group->comm()] = std::move(group));
}

Group* Groups::find(const char* call, const ARMCI_Group* handle)
{
    if (handle == nullptr || handle->comm == world_->comm())
        return world_;
    {
        const std::lock_guard lock(guard_);
        if (const auto found = groups_.find(handle->comm); found != groups_.end())
            return found->second.get();
    }
    if (handle->comm == MPI_COMM_NULL)
        diag::reject(call, "this process is no member of the group; only members may make this call");
    else
        diag::reject(call, "the group does not exist; it was never created or is freed already");
    return nullptr;
}

int Groups::create(const char* call, Group& parent, int count, const int* ranks, ARMCI_Group& handle)
{
    handle = outside_group();
    if (count < 0 || count > parent.size())
        return diag::reject(call,
                            "the list has %d processes; it must have 0 to %d, the size of the parent group",
                            count, parent.size());
    if (count > 0 && ranks == nullptr)
        return diag::reject(call, "the list of processes is NULL; it must have %d entries", count);
    std::vector<int> members;
    std::vector<bool> seen(static_cast<std::size_t>(parent.size()));
    bool mine = false;
    for (int i = 0; i < count; ++i) {
        if (ranks[i] < 0 || ranks[i] >= parent.size())
            return diag::reject(call,
                                "entry %d of the list is %d; it must be a rank of the parent group, 0 to %d",
                                i, ranks[i], parent.size() - 1);
        if (seen[static_cast<std::size_t>(ranks[i])])
            return diag::reject(call, "process %d is in the list twice (entry %d)", ranks[i], i);
        seen[static_cast<std::size_t>(ranks[i])] = true;
        members.push_back(parent.absolute(ranks[i]));
        mine = mine || ranks[i] == parent.rank();
    }
    if (!mine)
        return 0;
    handle = adopt(mpi::Comm::create_from_members(parent.comm(), ranks, count, message::tags::group_creation),
                   std::move(members))
                 .handle();
    return 0;
}

ARMCI_Group Groups::split(Group& parent, int color, int key)
{
    mpi::Comm comm = mpi::Comm::split(parent.comm(), color < 0 ? MPI_UNDEFINED : color, key);
    if (!comm.valid())
        return outside_group();
    std::vector<int> members(static_cast<std::size_t>(comm.size()));
    const int me = world_->rank();
    mpi::allgather(&me, members.data(), sizeof me, comm.get());
    return adopt(std::move(comm), std::move(members)).handle();
}

void Groups::free(Group& group, bool keep_alive)
{
    group.team().meet_for_the_last_time();
    Group* expected = &group;
    default_.compare_exchange_strong(expected, world_);
    std::unique_ptr<Group> owned; // goes after the lock
    const std::lock_guard lock(guard_);
    const auto found = groups_.find(group.comm());
    owned = std::move(found->second);
    groups_.erase(found);
    if (keep_alive)
        kept_.push_back(std::move(owned));
}

} // namespace armci
