#include "armci/base/observe/regions.hpp"

#include <algorithm>
#include <set>

namespace armci::observe {
namespace {

constexpr std::size_t most_freed = 8192;

void keep_busiest(std::vector<RegionTraffic>& regions, std::size_t most)
{
    std::sort(regions.begin(), regions.end(),
              [](const RegionTraffic& a, const RegionTraffic& b) { return a.bytes > b.bytes; });
    regions.resize(std::min(regions.size(), most));
}

} // namespace

void Regions::add(std::uint64_t number, std::span<const Slice> slices)
{
    const auto region = std::make_shared<Live>();
    RegionName& name = region->traffic.region;
    name.number = number;
    name.members = static_cast<std::int32_t>(slices.size());
    for (const Slice& slice : slices) {
        if (slice.bytes == 0)
            continue;
        name.bytes += slice.bytes;
        region->slices.push_back(slice);
        if (name.first_process < 0) {
            name.first_process = slice.process;
            name.start = slice.start;
        }
    }
    const std::lock_guard lock(guard_);
    for (const Slice& slice : region->slices)
        live_[slice.process][slice.start] = {slice.bytes, region};
}

Regions::Placed* Regions::find(int process, std::uintptr_t address)
{
    const auto owner = live_.find(process);
    if (owner == live_.end())
        return nullptr;
    auto found = owner->second.upper_bound(address);
    if (found == owner->second.begin())
        return nullptr;
    --found;
    return address - found->first < found->second.bytes ? &found->second : nullptr;
}

void Regions::remove(int process, std::uintptr_t start)
{
    const std::lock_guard lock(guard_);
    const Placed* const placed = find(process, start);
    if (placed == nullptr)
        return;
    const std::shared_ptr<Live> region = placed->region;
    for (const Slice& slice : region->slices)
        live_[slice.process].erase(slice.start);
    if (region->traffic.operations == 0)
        return;
    freed_.push_back(region->traffic);
    if (freed_.size() > most_freed)
        keep_busiest(freed_, most_freed / 2);
}

void Regions::count(int process, std::uintptr_t address, std::uint64_t bytes)
{
    const std::lock_guard lock(guard_);
    if (const Placed* const placed = find(process, address)) {
        ++placed->region->traffic.operations;
        placed->region->traffic.bytes += bytes;
    }
}

std::vector<RegionTraffic> Regions::busiest(std::size_t most) const
{
    const std::lock_guard lock(guard_);
    std::vector<RegionTraffic> result = freed_;
    std::set<const Live*> seen;
    for (const auto& [process, placing] : live_)
        for (const auto& [start, placed] : placing)
            if (placed.region->traffic.operations > 0 && seen.insert(placed.region.get()).second)
                result.push_back(placed.region->traffic);
    keep_busiest(result, most);
    return result;
}

void Regions::clear()
{
    const std::lock_guard lock(guard_);
    freed_.clear();
    live_.clear();
}

} // namespace armci::observe
