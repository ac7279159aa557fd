#include "gmr/target.hpp"

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

void settle(int process) { completion::settle_node(process); }

} // namespace armci::gmr
