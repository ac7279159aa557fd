// Region windows: what reaches a region over the network, from its making to its end.
#pragma once

#include "gmr/memory/team.hpp"
#include "gmr/network/translation.hpp"
#include "gmr/regions/region.hpp"

#include <vector>

namespace armci::gmr {

// Where a team's next region is to lie: memory that only one node can reach needs no window; otherwise the
// setting chooses. `world` says that the team is the whole job; `network` is null where load and store reach
// all memory.
Region::Kind kind_for(const Translation* network, const Team& team, bool world);

// Whether a region of this kind brings windows of its own; and where it lies instead when MPI is to make no
// more.
bool brings_windows(Region::Kind kind);
Region::Kind without_windows(bool world);

// Makes the windows of the region's own, collectively over its team; where MPI finds the memory, `starts` (by
// team rank) learns where.
void make_windows(Translation& network, Region& region, Team& team, std::vector<void*>& starts);

// Tells the network how to reach each member's `bytes`, at `starts` where they do not lie alike everywhere;
// both by team rank.
void enter_network(Translation& network, Region& region, Runs bytes, const std::vector<void*>& starts);
// Takes that back, with the windows, collectively over the team.
void leave_network(Translation& network, Region& region);

} // namespace armci::gmr
