#include "armci/message_by_nodes.hpp"

#include "armci/base/mpi.hpp"

#include <algorithm>
#include <cstring>

namespace armci::message::by_nodes {
namespace {

// Folds the slots of my node into `x` of its first process, or of each; all that do take the same order, so
// they have the same bits.
void fold_node(gmr::Team& team, std::byte* x, std::size_t bytes, std::size_t unit, const mpi::Fold& fold,
               bool everywhere)
{
    if (team.local_size() == 1)
        return;
    const std::size_t at_once = gmr::Team::slot_bytes / unit * unit;
    for (std::size_t done = 0; done < bytes; done += at_once) {
        const std::size_t piece = std::min(at_once, bytes - done);
        std::byte* const mine = x + done;
        const std::byte* const slots = team.show(mine, piece);
        if (!everywhere && team.local_rank() != 0)
            continue;
        std::memcpy(mine, slots, piece);
        for (int rank = 1; rank < team.local_size(); ++rank)
            fold(mine, slots + static_cast<std::size_t>(rank) * gmr::Team::slot_bytes, piece);
    }
}

} // namespace

void combine(const Among& among, void* x, std::size_t bytes, std::size_t unit, const mpi::Fold& fold)
{
    auto* const data = static_cast<std::byte*>(x);
    fold_node(among.team, data, bytes, unit, fold, !among.spans_nodes);
    if (!among.spans_nodes)
        return;
    if (among.team.local_rank() == 0)
        mpi::combine(data, bytes, unit, fold, among.team.masters_comm());
    among.team.pass(data, bytes, 0);
}

void reduce(const Among& among, void* x, std::size_t bytes, std::size_t unit, const mpi::Fold& fold)
{
    auto* const data = static_cast<std::byte*>(x);
    fold_node(among.team, data, bytes, unit, fold, false);
    if (among.spans_nodes && among.team.local_rank() == 0)
        mpi::reduce(data, bytes, unit, fold, among.team.masters_comm());
}

// Where the root speaks for its node, the other nodes come first.
void bcast(const Among& among, void* x, std::size_t bytes, int root)
{
    gmr::Team& team = among.team;
    if (!among.spans_nodes)
        return team.pass(x, bytes, root);
    constexpr std::size_t long_message = 64 * 1024; // MPI sends these in a pipeline
    const auto [node, on_node] = team.place_of(root);
    const bool comes_from_here = team.on_my_node(root);
    const bool is_here_first = comes_from_here && on_node != 0;
    if (is_here_first)
        team.pass(x, bytes, on_node);
    if (team.local_rank() == 0) {
        if (bytes > long_message)
            mpi::broadcast(x, static_cast<int>(bytes), node, team.masters_comm());
        else
            mpi::broadcast_in_steps(static_cast<std::byte*>(x), bytes, node, team.masters_comm());
    }
    if (!is_here_first)
        team.pass(x, bytes, 0);
}

} // namespace armci::message::by_nodes
