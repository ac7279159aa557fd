#include "armci/message_scope.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/include/message.h"
#include "armci/runtime.hpp"

#include <algorithm>

namespace armci::message {
namespace {

// Who shares a node with whom; known to the runtime, and before and after it where somebody has asked MPI.
const Topology& topology_of(const char* call, const Members& members)
{
    if (members.group() != nullptr)
        return running_or_end(call).topology();
    const World* const world = World::latest();
    if (world == nullptr)
        diag::fatal(call,
                    "who is on which node is not known yet; before ARMCI_Init, armci_msg_init finds it out");
    return world->topology();
}

MPI_Comm comm_of_node(const Topology& topology, const Members& members)
{
    return members.group() != nullptr ? members.group()->team().node_comm() : topology.node_comm();
}

MPI_Comm comm_of_masters(const Members& members)
{
    return members.group() != nullptr ? members.group()->team().masters_comm() : World::latest()->masters();
}

} // namespace

Members::Members(Group& group, int processes)
    : comm_(group.comm()), rank_(group.rank()), size_(group.size()), processes_(processes), group_(&group)
{
}

Members::Members(MPI_Comm comm) : comm_(comm)
{
    mpi::check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
    processes_ = size_;
}

Members Members::of_world(const char* call)
{
    if (Runtime* const runtime = running_quietly())
        return Members(runtime->groups().world(), runtime->processes());
    if (!mpi::running())
        diag::fatal(call, "%s", why_no_messages());
    if (const World* const world = World::latest())
        return Members(world->comm());
    return Members(MPI_COMM_WORLD);
}

Members Members::of_group(const char* call, const ARMCI_Group* handle)
{
    if (handle == nullptr)
        return of_world(call);
    Runtime& runtime = running_or_end(call);
    if (Group* const found = runtime.groups().find(call, handle))
        return Members(*found, runtime.processes());
    diag::end_job(diag::rejected); // the calls here have no code to return
}

Scope scope_of(const char* call, int scope, const Members& members)
{
    gmr::Team* const team = members.group() != nullptr ? &members.group()->team() : nullptr;
    const bool one_node = team != nullptr && team->on_one_node();
    Scope found{members.comm(), true, members.rank(), members.size(), {}, team, !one_node};
    if (scope == SCOPE_ALL || (scope == SCOPE_NODE && one_node))
        return found;
    if (scope != SCOPE_NODE && scope != SCOPE_MASTERS)
        diag::fatal(call, "scope is %d; it must be %d (SCOPE_ALL), %d (SCOPE_NODE) or %d (SCOPE_MASTERS)",
                    scope, SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS);
    const Topology& topology = topology_of(call, members);
    std::vector<bool> node_seen(static_cast<std::size_t>(topology.nodes()));
    for (int rank = 0; rank < members.size(); ++rank) {
        const int node = topology.node_of(members.absolute(rank));
        const bool in =
            scope == SCOPE_NODE ? node == topology.my_node() : !node_seen[static_cast<std::size_t>(node)];
        node_seen[static_cast<std::size_t>(node)] = true;
        if (in)
            found.ranks.push_back(rank);
    }
    const auto mine = std::find(found.ranks.begin(), found.ranks.end(), members.rank());
    found.takes_part = mine != found.ranks.end();
    found.rank = static_cast<int>(mine - found.ranks.begin());
    found.size = static_cast<int>(found.ranks.size());
    found.team = scope == SCOPE_NODE ? team : nullptr;
    found.spans_nodes = scope != SCOPE_NODE;
    found.comm = MPI_COMM_NULL;
    if (found.size == 1)
        found.comm = MPI_COMM_SELF;
    else if (found.takes_part)
        found.comm = scope == SCOPE_NODE ? comm_of_node(topology, members) : comm_of_masters(members);
    return found;
}

int rank_in(const char* call, const Scope& scope, int member, int process)
{
    if (scope.ranks.empty())
        return member;
    const auto found = std::find(scope.ranks.begin(), scope.ranks.end(), member);
    if (found == scope.ranks.end())
        diag::fatal(call, "root is process %d, which is outside the scope", process);
    return static_cast<int>(found - scope.ranks.begin());
}

} // namespace armci::message
