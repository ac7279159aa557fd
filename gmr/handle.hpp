// Handles of nonblocking operations, in the two ints that the caller keeps.
//
// On the node an operation has moved its bytes when the call that starts it returns, so no handle ever has anything
// pending: starting leaves the handle as it is, waiting returns at once, and testing finds it complete.
#pragma once

#include "armci/base/diagnostics.hpp"
#include "armci/include/armci.h"

namespace armci::gmr::handle {

inline constexpr int no_target = -1;

inline void initialise(armci_hdl_t& handle) { handle = {no_target, 0}; }
inline void set_aggregate(armci_hdl_t& handle, bool aggregate) { handle.aggregate = aggregate ? 1 : 0; }

// Reports a handle that cannot be waited for.
inline int check(const char* call, const armci_hdl_t* handle)
{
    if (handle != nullptr) return 0;
    return diag::reject(call, "the handle is NULL; operations without one complete by ARMCI_WaitProc or ARMCI_WaitAll");
}

} // namespace armci::gmr::handle
