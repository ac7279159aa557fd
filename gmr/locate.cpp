#include "gmr/locate.hpp"

#include "gmr/network/completion.hpp"
#include "gmr/regions/global_memory.hpp"

namespace armci::gmr {

void settle(int process)
{
    if (peers.detours.any_of(Detours::unsettled))
        completion::settle_node(process);
    take_turn_at_progress();
}

Target locate_elsewhere(const char* call, int process, const void* address, std::uint64_t extent, Use use)
{
    if (const int error = check_process(call, process)) {
        Target miss;
        miss.error = error;
        return miss;
    }
    const Target target = GlobalMemory::the_one()->locate(call, process, address, extent, use);
    if (use == Use::in_turn)
        return target;
    if (target.use_load_store())
        settle(process);
    else if (target.on_my_node)
        take_turn_at_progress(); // elsewhere, whoever polls enters MPI to get its answer
    return target;
}

Target locate_in_one_window(int process, const void* address, std::uint64_t extent, Use use)
{
    GlobalMemory* const memory = GlobalMemory::the_one();
    if (memory == nullptr || memory->network() == nullptr ||
        static_cast<unsigned>(process) >= peers.processes)
        return {};
    Near near;
    const Target target = memory->network()->find(process, address, extent, use, near);
    return target.use_load_store() ? Target{} : target;
}

} // namespace armci::gmr
