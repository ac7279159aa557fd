// What every api_<chapter>.cpp shares. Each public ARMCI_X is a weak alias of PARMCI_X, so that a profiler
// can define ARMCI_X and call PARMCI_X.
#pragma once

#include "armci/include/armci.h"
#include "armci/runtime.hpp"

#define ARMCI_WEAK_ALIAS(public_name, implementation)                                                        \
    extern "C" decltype(implementation) public_name [[gnu::weak, gnu::alias(#implementation)]]

// The result of the calls that look for the runtime first.
#define ARMCI_RUNTIME_OR_RETURN(variable, call, result)                                                      \
    armci::Runtime* const variable = armci::running(call);                                                   \
    if (variable == nullptr)                                                                                 \
    return result
