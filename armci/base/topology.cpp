#include "armci/base/topology.hpp"

#include "armci/base/mpi_quirks.hpp"
#include "armci/base/node_identity.hpp"
#include "armci/base/shared_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace armci {

namespace {

// Splits by what the system says of the processes. One of which it says nothing is alone.
mpi::Comm split_by_identity(MPI_Comm world, int me, int size)
{
    const std::optional<std::uint64_t> identity = node_identity();
    const std::uint64_t mine = identity.value_or(static_cast<std::uint64_t>(me));
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
    mpi::allgather(&mine, all.data(), sizeof mine, world);
    const auto first = std::find(all.begin(), all.end(), mine);
    return mpi::Comm::split(world, identity ? static_cast<int>(first - all.begin()) : me, me);
}

// Whether the system says of all processes that they share one machine, and each would take its word.
bool is_one_machine(MPI_Comm world, int size)
{
#if defined(MPICH_NUMVERSION)
    const std::optional<std::uint64_t> identity = node_identity();
    const auto mine = static_cast<std::int64_t>(identity.value_or(0));
    // The greatest complement is that of the least number.
    std::array<std::int64_t, 3> most{mine, ~mine, identity && quirks::avoids_split_by_node(size) ? 0 : 1};
    mpi::allreduce(most.data(), static_cast<int>(most.size()), MPI_INT64_T, MPI_MAX, world);
    return most[2] == 0 && most[0] == ~most[1];
#else
    static_cast<void>(world);
    static_cast<void>(size);
    return false;
#endif
}

int most_over(MPI_Comm comm, int value)
{
    mpi::allreduce(&value, 1, MPI_INT, MPI_MAX, comm);
    return value;
}

// Whether this process can share memory with the lowest of `comm`; `count` is how many can.
bool shares_with_lowest(const mpi::Comm& comm, shared_file::Kind kind, int& count)
{
    constexpr std::size_t any_length = 4096;
    const bool lowest = comm.rank() == 0;
    shared_file::Offer offer{};
    int fd = lowest ? shared_file::make(kind, any_length, offer) : -1;
    mpi::broadcast(&offer, sizeof offer, 0, comm.get());
    if (!lowest && offer.error == 0)
        fd = shared_file::open(offer);
    const bool mine = fd >= 0;
    count = mine ? 1 : 0;
    mpi::allreduce(&count, 1, MPI_INT, MPI_SUM, comm.get());
    if (lowest)
        shared_file::unlink(offer);
    if (mine)
        close(fd);
    return mine;
}

// Splits by who can open whose memory: each round, those that share with the lowest process by the kind that
// reaches most of them have found their machine. Where the lowest cannot make such memory at all, the rest
// stays together: the arena will say why there is none.
mpi::Comm split_by_memory(mpi::Comm comm, int me)
{
    while (comm.size() > 1) {
        std::array<int, 2> counts{};
        std::array<bool, 2> mine{};
        for (const shared_file::Kind kind : {shared_file::Kind::memfd, shared_file::Kind::posix_shm}) {
            const auto k = static_cast<std::size_t>(kind);
            mine[k] = shares_with_lowest(comm, kind, counts[k]);
            if (counts[k] == comm.size())
                return comm;
        }
        if (counts[0] + counts[1] == 0)
            return comm;
        const bool found = mine[counts[0] >= counts[1] ? 0 : 1];
        comm = mpi::Comm::split(comm.get(), found ? 0 : 1, me);
        if (found)
            return comm;
    }
    return comm;
}

} // namespace

Topology::Topology(MPI_Comm world, int most_per_node)
{
    int me = 0;
    int size = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &size), "MPI_Comm_size");
    const bool known = is_one_machine(world, size);
    node_comm_ = known ? mpi::Comm::duplicate(world) : mpi::Comm::split_by_node(world, me);
    if (!known && most_over(world, node_comm_.size()) == 1 && size > 1) {
        node_comm_ = split_by_identity(world, me, size);
        unknown_to_mpi_ = most_over(world, node_comm_.size()) > 1;
    }
    const int as_told = node_comm_.size();
    node_comm_ = split_by_memory(std::move(node_comm_), me);
    parted_ = most_over(world, node_comm_.size() < as_told ? 1 : 0) != 0;
    if (most_per_node > 0 && node_comm_.size() > most_per_node) {
        machine_comm_ = std::exchange(node_comm_, mpi::Comm());
        nodes_here_ = (machine_comm_.size() + most_per_node - 1) / most_per_node;
        node_here_ = machine_comm_.rank() / most_per_node;
        node_comm_ = mpi::Comm::split(machine_comm_.get(), node_here_, me);
    }

    int lowest = me;
    mpi::broadcast(&lowest, sizeof lowest, 0, node_comm_.get());
    std::vector<int> lowest_of(static_cast<std::size_t>(size));
    mpi::allgather(&lowest, lowest_of.data(), sizeof lowest, world);

    layout_ = NodeLayout(lowest_of);
    my_node_ = layout_.node_of(me);
}

} // namespace armci
