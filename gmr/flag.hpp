// Flag: an int of a region that is raised after data was put; whoever sees the flag sees the data.
// Ordering: raise() is a release store; the reader polls with acquire (on x86-64 any load will do).
#pragma once

#include "gmr/target.hpp"

#include <atomic>

namespace armci::gmr {

class Flag {
public:
    // Finds the flag before any data moves; a mistake is reported and left in error().
    Flag(const char* call, int* flag, int process)
    {
        if (reinterpret_cast<std::uintptr_t>(flag) % sizeof(int) != 0)
            target_.error = diag::reject(call, "flag address %p is misaligned; it must be a multiple of %zu",
                                         static_cast<void*>(flag), sizeof(int));
        else
            target_ = locate(call, process, flag, sizeof(int));
    }

    int error() const { return target_.error; }
    void raise(int value) const
    {
        std::atomic_ref<int>(*reinterpret_cast<int*>(target_.local)).store(value, std::memory_order_release);
    }

private:
    Target target_;
};

} // namespace armci::gmr
