// What the settings of a job and its nodes say about the path of its data.
#pragma once

#include <armci.h>

#include <cstdlib>
#include <string_view>

namespace armci_test {

inline std::string_view setting(const char* name)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

// The job has windows. Known from ARMCI_Init on.
inline bool uses_windows()
{
    return armci_domain_count(ARMCI_DOMAIN_SMP) > 1 || setting("ARMCI_FORCE_MPI") == "1";
}

// Slices of my node's processes may be dereferenced and lie alike on all nodes: not where each allocation has
// its own window.
inline bool shares_addresses()
{
    const std::string_view window = setting("ARMCI_WINDOW");
    return !uses_windows() || window.empty() || window == "pooled";
}

} // namespace armci_test
