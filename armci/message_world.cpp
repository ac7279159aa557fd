#include "armci/message_world.hpp"

#include "armci/message_tags.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace armci::message {
namespace {

// The latest is last. Never destroyed: MPI frees its communicators. At exit it may be gone or, worse, still
// wait for all processes.
std::vector<std::unique_ptr<World>>& worlds()
{
    static auto* const all = new std::vector<std::unique_ptr<World>>;
    return *all;
}

bool same_processes(MPI_Comm one, MPI_Comm other)
{
    int result = MPI_UNEQUAL;
    mpi::check(MPI_Comm_compare(one, other, &result), "MPI_Comm_compare");
    return result == MPI_CONGRUENT;
}

} // namespace

World::World(MPI_Comm comm, int most_per_node)
    : most_per_node_(most_per_node), comm_(mpi::Comm::duplicate(comm)), topology_(comm_.get(), most_per_node)
{
}

World& World::over(MPI_Comm comm, int most_per_node)
{
    auto& all = worlds();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& world) {
        return world->most_per_node_ == most_per_node && same_processes(world->comm(), comm);
    });
    if (found != all.end())
        std::rotate(found, found + 1, all.end());
    else
        all.emplace_back(new World(comm, most_per_node));
    return *all.back();
}

World* World::latest()
{
    return worlds().empty() ? nullptr : worlds().back().get();
}

MPI_Comm World::masters()
{
    if (topology_.nodes() == 1)
        return MPI_COMM_SELF;
    if (!masters_.valid()) {
        std::vector<int> lowest;
        lowest.reserve(static_cast<std::size_t>(topology_.nodes()));
        for (int node = 0; node < topology_.nodes(); ++node)
            lowest.push_back(topology_.members(node).front());
        masters_ =
            mpi::Comm::create_from_members(comm_.get(), lowest.data(), topology_.nodes(), tags::masters);
    }
    return masters_.get();
}

} // namespace armci::message
