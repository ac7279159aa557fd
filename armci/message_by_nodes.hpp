// Messages by nodes: collective messages in shared memory on each node, and between nodes by its first
// process.
#pragma once

#include "armci/base/doubling.hpp"
#include "gmr/memory/team.hpp"

#include <cstddef>

namespace armci::message::by_nodes {

// Who takes part: all members of a team, or those of my node. Ranks below count among these.
struct Among {
    gmr::Team& team;
    bool spans_nodes;
};

// Folds what all have in `x`; all get the result, with the same bits. `unit` is the size of what must stay
// together, at most gmr::Team::slot_bytes.
void combine(const Among& among, void* x, std::size_t bytes, std::size_t unit, const mpi::Fold& fold);
// Folds what all have in `x`; rank 0 gets the result, and the others' `x` is used up.
void reduce(const Among& among, void* x, std::size_t bytes, std::size_t unit, const mpi::Fold& fold);
void bcast(const Among& among, void* x, std::size_t bytes, int root);

} // namespace armci::message::by_nodes
