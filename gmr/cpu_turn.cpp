#include "gmr/cpu_turn.hpp"
#include "gmr/locate.hpp"

namespace armci::gmr {

void CpuTurn::begin(int process, Access kind)
{
    // Settle first: the holder of a turn must not wait.
    const Peer* const peer = peers.of(process);
    if (peer == nullptr || peer->span == 0)
        return;
    settle(process);
    MpiExclusion* const exclusion = MpiExclusion::the_one();
    const bool excluded = exclusion != nullptr && exclusion->covers(kind);
    if (!(excluded ? exclusion->enter(process) : Modes::the_one()->enter(process, kind)))
        return;
    process_ = process;
    kind_ = kind;
}

Target locate_atomic(const char* call, int process, const void* address, std::uint64_t extent, CpuTurn& turn)
{
    const Target target = locate(call, process, address, extent, turn.use());
    if (!turn || target.error != 0 || target.use_load_store())
        return target;
    turn.end(); // MPI alone reaches it
    return locate(call, process, address, extent, Use::atomic);
}

} // namespace armci::gmr
