// World barrier: all processes meet, and CPUs may begin a new epoch of atomic operations
// (gmr/network/modes.hpp).
#pragma once

#include "gmr/memory/team.hpp"

namespace armci::gmr {

// A barrier of the world that a program asks for. All processes must come by this function alike, as they
// count these barriers. Where everybody's writes were complete before it, CPUs begin a new epoch.
void world_barrier(Team& world);

} // namespace armci::gmr
