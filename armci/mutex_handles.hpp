// Mutex handles: the sets of ARMCIX_Create_mutexes_hdl, found again from the public struct, so that a stale
// handle is reported. Safe to call from any thread.
#pragma once

#include "armci/groups.hpp"
#include "armci/include/armcix.h"
#include "mutex/mutex_set.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace armci {

struct MutexHandle : armcix_mutex_hdl_s {
    Group* group = nullptr;
    std::unique_ptr<mutex::MutexSet> set;
    std::uint64_t number = 0; // in the order of creation
};

class MutexHandles {
public:
    MutexHandles() = default;
    MutexHandles(const MutexHandles&) = delete;
    MutexHandles& operator=(const MutexHandles&) = delete;
    // Collective for what is still live: all processes end windows in one order.
    ~MutexHandles()
    {
        std::map<std::uint64_t, std::unique_ptr<MutexHandle>> in_order;
        for (auto& [key, handle] : live_)
            in_order[handle->number] = std::move(handle);
        live_.clear();
        for (auto& [number, handle] : in_order)
            handle.reset();
    }

    MutexHandle* add(std::unique_ptr<MutexHandle> handle)
    {
        const std::lock_guard lock(guard_);
        MutexHandle* const added = handle.get();
        added->number = ++created_;
        live_[added] = std::move(handle);
        return added;
    }
    // Null for what is no live handle.
    MutexHandle* find(armcix_mutex_hdl_t handle)
    {
        const std::lock_guard lock(guard_);
        const auto found = live_.find(handle);
        return found == live_.end() ? nullptr : found->second.get();
    }
    // Whether a set of this group is live.
    bool are_on(const Group& group)
    {
        const std::lock_guard lock(guard_);
        return std::any_of(live_.begin(), live_.end(),
                           [&](const auto& one) { return one.second->group == &group; });
    }
    // To be destroyed by the caller, outside the lock: windows end collectively, and other groups go on
    // meanwhile. Null for what is no live handle.
    [[nodiscard]] std::unique_ptr<MutexHandle> remove(armcix_mutex_hdl_t handle)
    {
        const std::lock_guard lock(guard_);
        const auto found = live_.find(handle);
        if (found == live_.end())
            return nullptr;
        auto removed = std::move(found->second);
        live_.erase(found);
        return removed;
    }

private:
    std::mutex guard_;
    std::unordered_map<const armcix_mutex_hdl_s*, std::unique_ptr<MutexHandle>> live_;
    std::uint64_t created_ = 0;
};

} // namespace armci
