// Messaged: operations on another node's memory that go as active messages (gmr/active_messages/).
#pragma once

#include "gmr/active_messages/active_messages.hpp"
#include "gmr/transfer/handle.hpp"
#include "gmr/transfer/issue.hpp"

#include <cstdint>

namespace armci::gmr::remote {

// Whether operations that load and store do not serve go this way. The same for all of a job.
inline bool sends_messages()
{
    return ActiveMessages::the_one() != nullptr;
}

// Each calls fill(operation), which adds its rows, with addresses of the process at the remote side. Sources
// of puts and accumulates may be used again when these return, whether they have a handle or not.
template <class Fill>
void send_put(int process, Fill fill)
{
    ActiveMessages::Puts puts(*ActiveMessages::the_one(), process);
    fill(puts);
}

template <class Fill>
void send_accumulate(int process, kernels::Element element, const void* scale, Fill fill)
{
    ActiveMessages::Sums sums(*ActiveMessages::the_one(), process, element, scale);
    fill(sums);
}

template <class Fill>
void send_get(int process, const Issue& issue, Fill fill)
{
    std::uint64_t number = 0;
    {
        ActiveMessages::Gets gets(*ActiveMessages::the_one(), process);
        fill(gets);
        if (issue.blocking) {
            gets.finish();
            return;
        }
        number = gets.end();
    }
    if (issue.handle != nullptr)
        handle::take_message(*issue.handle, {process, number});
}

} // namespace armci::gmr::remote
