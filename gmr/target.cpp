#include "gmr/target.hpp"

#include "armci/base/wait.hpp"
#include "gmr/completion.hpp"

namespace armci::gmr {

PeerTable peers;

int check_process(const char* call, int process)
{
    if (peers.count == 0)
        return diag::reject(call, "called outside ARMCI_Init ... ARMCI_Finalize; the library is not running");
    if (static_cast<unsigned>(process) >= peers.count)
        return diag::reject(call, "process %d does not exist; it must be 0 to %u", process, peers.count - 1);
    return 0;
}

void settle(int process)
{
    constexpr unsigned turns_between = 64;
    thread_local unsigned turn = 0;
    if ((peers.detours & PeerTable::unsettled) != 0)
        completion::settle_node(process);
    if ((peers.detours & PeerTable::progress) != 0 && ++turn % turns_between == 0)
        wait::progress();
}

} // namespace armci::gmr
