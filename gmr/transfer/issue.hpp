// Issue: how an operation over the network ends.
#pragma once

#include "armci/include/armci.h"

namespace armci::gmr {

struct Issue {
    bool blocking = true;
    armci_hdl_t* handle = nullptr; // only when not blocking
    bool alone = false;            // never joined with others, except by an aggregate handle

    static Issue nonblocking(armci_hdl_t* handle) { return {.blocking = false, .handle = handle}; }
};

} // namespace armci::gmr
