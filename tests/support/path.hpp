// What the settings of a job and its nodes say about the path of its data.
#pragma once

#include <armci.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace armci_test {

inline std::string_view setting(const char* name)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

// The job has windows, or active messages in their place. Known from ARMCI_Init on.
inline bool uses_windows()
{
    return armci_domain_count(ARMCI_DOMAIN_SMP) > 1 || setting("ARMCI_FORCE_MPI") == "1";
}

// Why operations on `process` do not each become MPI's, completed by flushes; empty where they do.
inline std::string why_not_flushed(int process)
{
    if (ARMCI_Same_node(process))
        return "process " + std::to_string(process) + " is on this node";
    const std::string_view epochs = setting("ARMCI_EPOCHS");
    if (!epochs.empty() && epochs != "lock_all")
        return "with ARMCI_EPOCHS=" + std::string(epochs) + " unlocks complete, not flushes";
    return "";
}

// Slices of my node's processes may be dereferenced and lie alike on all nodes: not where each allocation has
// its own window.
inline bool shares_addresses()
{
    const std::string_view window = setting("ARMCI_WINDOW");
    return !uses_windows() || window.empty() || window == "pooled";
}

} // namespace armci_test
