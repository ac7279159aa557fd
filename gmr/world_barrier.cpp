#include "gmr/world_barrier.hpp"

#include "gmr/network/completion.hpp"
#include "gmr/network/modes.hpp"

namespace armci::gmr {

void world_barrier(Team& world)
{
    Modes* const modes = Modes::the_one();
    if (modes != nullptr)
        modes->close_epoch();
    const bool all = world.barrier(modes == nullptr || !completion::writes_are_pending());
    if (modes != nullptr && all)
        modes->open_epoch();
}

} // namespace armci::gmr
