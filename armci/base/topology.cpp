#include "armci/base/topology.hpp"

#include "armci/base/node_identity.hpp"

#include <algorithm>
#include <optional>

namespace armci {

namespace {

// Splits by what the system says of the processes. One of which it says nothing is alone.
mpi::Comm split_by_identity(MPI_Comm world, int me, int size)
{
    const std::optional<std::uint64_t> identity = node_identity();
    const std::uint64_t mine = identity.value_or(static_cast<std::uint64_t>(me));
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
    mpi::check(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, world), "MPI_Allgather");
    const auto first = std::find(all.begin(), all.end(), mine);
    return mpi::Comm::split(world, identity ? static_cast<int>(first - all.begin()) : me, me);
}

} // namespace

Topology::Topology(MPI_Comm world, int most_per_node)
{
    int me = 0;
    int size = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &size), "MPI_Comm_size");
    node_comm_ = mpi::Comm::split_by_node(world, me);
    int most = node_comm_.size();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
    if (most == 1 && size > 1) {
        node_comm_ = split_by_identity(world, me, size);
        most = node_comm_.size();
        mpi::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
        unknown_to_mpi_ = most > 1;
    }
    if (most_per_node > 0 && node_comm_.size() > most_per_node)
        node_comm_ = mpi::Comm::split(node_comm_.get(), node_comm_.rank() / most_per_node, me);

    int lowest = me;
    mpi::check(MPI_Bcast(&lowest, 1, MPI_INT, 0, node_comm_.get()), "MPI_Bcast");
    std::vector<int> lowest_of(static_cast<std::size_t>(size));
    mpi::check(MPI_Allgather(&lowest, 1, MPI_INT, lowest_of.data(), 1, MPI_INT, world), "MPI_Allgather");

    std::vector<int> node_with_lowest(static_cast<std::size_t>(size), -1);
    node_of_.resize(static_cast<std::size_t>(size));
    node_rank_.resize(static_cast<std::size_t>(size));
    for (int process = 0; process < size; ++process) {
        const auto p = static_cast<std::size_t>(process);
        int& node = node_with_lowest[static_cast<std::size_t>(lowest_of[p])];
        if (node < 0) {
            node = static_cast<int>(members_.size());
            members_.emplace_back();
        }
        node_of_[p] = node;
        auto& members = members_[static_cast<std::size_t>(node)];
        node_rank_[p] = static_cast<int>(members.size());
        members.push_back(process);
    }
    my_node_ = node_of_[static_cast<std::size_t>(me)];
}

} // namespace armci
