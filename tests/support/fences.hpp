// The calls that complete at a target what was issued to it before.
#pragma once

#include <armci.h>

#include <string>

namespace armci_test {

struct FenceCall {
    const char* name;
    void (*complete)(int target);
};

inline constexpr FenceCall fence_calls[] = {
    {"Fence", [](int target) { ARMCI_Fence(target); }},
    {"AllFence", [](int) { ARMCI_AllFence(); }},
    {"GroupFence",
     [](int) {
         ARMCI_Group world;
         ARMCI_Group_get_world(&world);
         ARMCI_GroupFence(&world);
     }},
};

// Names the tests that have a FenceCall for their parameter.
inline constexpr auto fence_name = [](const auto& test) { return std::string(test.param.name); };

} // namespace armci_test
