#include "gmr/flag.hpp"

#include "armci/base/diagnostics.hpp"

#include "gmr/locate.hpp"
#include "gmr/transfer/messaged.hpp"
#include "gmr/transfer/remote.hpp"

#include <atomic>

namespace armci::gmr {

Flag::Flag(const char* call, int* flag, int process) : flag_(flag)
{
    if (reinterpret_cast<std::uintptr_t>(flag) % sizeof(int) != 0)
        target_.error = diag::reject(call, "flag address %p is misaligned; it must be a multiple of %zu",
                                     static_cast<void*>(flag), sizeof(int));
    else
        target_ = locate(call, process, flag, sizeof(int), Use::plain);
}

void Flag::raise(int value) const
{
    if (!target_.use_load_store() && remote::sends_messages()) { // behind the data
        ActiveMessages::the_one()->send(target_.process, {reinterpret_cast<std::uintptr_t>(flag_),
                                                          active_messages::Operation::swap, sizeof value,
                                                          active_messages::widened(value), 0});
        return;
    }
    if (peers.network)
        remote::fence(target_.process); // the data may have gone through MPI
    if (target_.use_load_store()) {
        std::atomic_ref<int>(*reinterpret_cast<int*>(target_.local)).store(value, std::memory_order_release);
        return;
    }
    int old = 0;
    remote::fetch_and_op(target_, MPI_INT, MPI_REPLACE, &value, &old);
}

} // namespace armci::gmr
