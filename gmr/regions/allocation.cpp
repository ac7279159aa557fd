// Allocation: how a region comes to be, collectively or by one process alone.
#include "gmr/regions/global_memory.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/observe/statistics.hpp"
#include "gmr/regions/agreement.hpp"
#include "gmr/regions/region_windows.hpp"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <utility>

namespace armci::gmr {
namespace {

void tell_of_used_up_windows(const Team& team)
{
    static std::atomic<bool> told{false};
    if (team.rank() == 0 && !told.exchange(true))
        diag::warn("%d MPI windows are in use, as many as this library asks of this MPI; further regions "
                   "share the pooled ones (ARMCI_WINDOW=pooled, the default, needs but a few)",
                   traits::in_use.most_windows);
}

// Tells the statistics of a region: `bytes` of it are mine, and starts[i] is the slice of team rank i.
void count_allocation(const Team& team, const Runs& sizes, void* const* starts, std::uint64_t number,
                      std::int64_t bytes)
{
    if (!observe::statistics::enabled())
        return;
    std::vector<observe::Regions::Slice> slices;
    slices.reserve(static_cast<std::size_t>(team.size()));
    for (int i = 0; i < team.size(); ++i)
        slices.push_back({team.member(i), reinterpret_cast<std::uintptr_t>(starts[i]), sizes.of(i)});
    observe::statistics::count_allocation(bytes, number, slices);
}

} // namespace

// Opens more windows when those there are have no hole of that size; every member comes to the same answer.
bool GlobalMemory::place_symmetric(Region& region, std::uint64_t largest, bool& grown)
{
    auto block = heap_.place(Area::symmetric, largest);
    if (!block && network_ && network_->grow(Area::symmetric, largest)) {
        grown = true;
        block = heap_.place(Area::symmetric, largest);
    }
    if (!block)
        return false;
    region.block = *block;
    region.placed = true;
    return true;
}

// One collective allocation, by its steps. What it has taken goes back unless it is published.
class GlobalMemory::Allocation {
public:
    Allocation(GlobalMemory& memory, const char* call, Team& team, bool world, std::int64_t bytes)
        : memory_(memory), call_(call), team_(team), world_(world), bytes_(bytes),
          my_bytes_(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))),
          region_(std::make_unique<Region>())
    {
        region_->team = &team;
        region_->kind = kind_for(memory.network_.get(), team, world);
    }
    ~Allocation()
    {
        if (region_ == nullptr)
            return;
        release();
        if (taken_)
            memory_.budget_.give_back(my_bytes_);
    }
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    // My size, my place where I choose it alone, and what stands against it.
    void offer(bool has_array);
    // One problem anywhere is everybody's error; returns its code.
    int agree();
    // Nobody holds anything: no region, and nothing to free later.
    bool is_empty() const { return largest_ == 0; }
    // Places what is placed together, and makes its windows; or returns the code of the error.
    int place();
    // Fills pointers, records the region, and lets no member out before it can reach all parts.
    void publish(void** pointers);

private:
    void place_alone();
    void place_again(Region::Kind kind);
    void release();
    // Writes where the parts are that do not lie alike everywhere.
    void find_starts();
    // Writes the addresses of all parts for the caller.
    void fill(void** pointers) const;

    GlobalMemory& memory_;
    const char* call_;
    Team& team_;
    bool world_;
    std::int64_t bytes_;
    std::uint64_t my_bytes_;
    std::unique_ptr<Region> region_;
    bool taken_ = false;       // from the budget
    bool new_windows_ = false; // that reach the region, or others
    Offer mine_{};
    RecordTable<Offer> offers_; // by team rank; so are the next two
    Runs sizes_;
    std::vector<void*> starts_;    // of a region whose parts do not lie alike everywhere
    std::int64_t largest_ = 0;     // bytes
    std::size_t who_has_most_ = 0; // team rank
};

void GlobalMemory::Allocation::offer(bool has_array)
{
    mine_ = {bytes_, 0, 0, Problem::none, 0, 0};
    mine_.pool_is_low = memory_.network_ && memory_.network_->pooled_is_low() ? 1 : 0;
    mine_.no_window = Window::are_used_up() ? 1 : 0;
    if (!has_array) {
        mine_.problem = Problem::no_array;
    } else if (bytes_ < 0) {
        mine_.problem = Problem::negative_size;
    } else if (bytes_ > 0) {
        taken_ = memory_.budget_.take(my_bytes_, mine_.available);
        if (!taken_)
            mine_.problem = Problem::no_memory;
    }
    place_alone();
}

void GlobalMemory::Allocation::place_alone()
{
    if (region_->kind == Region::Kind::symmetric || !region_->in_arena() || mine_.problem != Problem::none ||
        my_bytes_ == 0)
        return;
    const Area area = Region::area_of(region_->kind);
    const auto block = memory_.heap_.place(
        area, area == Area::windowed ? std::max(my_bytes_, window_alignment()) : my_bytes_);
    region_->placed = block.has_value();
    if (block) {
        region_->block = *block;
        mine_.start = block->offset;
    } else {
        mine_.problem = Problem::no_range;
    }
}

void GlobalMemory::Allocation::release()
{
    if (region_->placed)
        memory_.heap_.release(Region::area_of(region_->kind), region_->block, 0);
    region_->placed = false;
}

void GlobalMemory::Allocation::place_again(Region::Kind kind)
{
    release();
    region_->kind = kind;
    if (mine_.problem == Problem::no_range)
        mine_.problem = Problem::none;
    place_alone();
    offers_ = team_.exchange_runs(mine_);
}

// Two problems are none: a region that MPI has no window for lies in the pooled ones, and one for which those
// are full gets its own.
int GlobalMemory::Allocation::agree()
{
    offers_ = team_.exchange_runs(mine_);
    const bool no_window = offers_.any([](const Offer& one) { return one.no_window != 0; });
    if (no_window && brings_windows(region_->kind)) {
        tell_of_used_up_windows(team_);
        place_again(without_windows(world_));
    }
    int who = worst_offer(offers_);
    if (who >= 0 && region_->kind == Region::Kind::pooled && !no_window &&
        offers_[static_cast<std::size_t>(who)].problem == Problem::no_range) {
        place_again(Region::Kind::own_window);
        who = worst_offer(offers_);
    }
    if (who >= 0)
        return report_offer(call_, team_, who, offers_[static_cast<std::size_t>(who)]);
    std::vector<std::pair<std::size_t, std::uint64_t>> sizes;
    for (const auto& [first, count, offer] : offers_.runs()) {
        sizes.emplace_back(count, static_cast<std::uint64_t>(offer.bytes));
        if (offer.bytes <= largest_)
            continue;
        largest_ = offer.bytes;
        who_has_most_ = first;
    }
    sizes_ = Runs(sizes);
    return 0;
}

void GlobalMemory::Allocation::find_starts()
{
    starts_.resize(offers_.size(), nullptr);
    if (!region_->in_arena()) // MPI finds the memory
        return;
    for (const auto& [first, count, offer] : offers_.runs())
        for (std::size_t i = first; i < first + count && offer.bytes > 0; ++i)
            starts_[i] = memory_.slice(team_.member(static_cast<int>(i))) + offer.start;
}

// The one step of an allocation that takes time for each process of the job, as its caller's array has an
// entry for each.
void GlobalMemory::Allocation::fill(void** pointers) const
{
    if (region_->kind != Region::Kind::symmetric) {
        std::copy(starts_.begin(), starts_.end(), pointers);
        return;
    }
    for (const auto& [first, count, offer] : offers_.runs())
        for (std::size_t i = first; i < first + count; ++i)
            pointers[i] = offer.bytes > 0
                              ? memory_.slice(team_.member(static_cast<int>(i))) + region_->block.offset
                              : nullptr;
}

int GlobalMemory::Allocation::place()
{
    Translation* const network = memory_.network_.get();
    const bool symmetric = region_->kind == Region::Kind::symmetric;
    if (symmetric && !memory_.place_symmetric(*region_, static_cast<std::uint64_t>(largest_), new_windows_))
        return report_no_range(call_, team_, static_cast<int>(who_has_most_), largest_);
    if (world_ && network != nullptr && offers_.any([](const Offer& one) { return one.pool_is_low != 0; })) {
        network->grow(Area::pooled, 0);
        new_windows_ = true;
    }

    region_->bytes = my_bytes_;
    if (!symmetric)
        find_starts();
    if (network != nullptr && !symmetric)
        make_windows(*network, *region_, team_, starts_);
    new_windows_ = new_windows_ || brings_windows(region_->kind) || region_->kind == Region::Kind::attached;
    return 0;
}

void GlobalMemory::Allocation::publish(void** pointers)
{
    Region& region = *region_;
    fill(pointers);
    region.start = static_cast<std::byte*>(pointers[team_.rank()]);
    if (my_bytes_ > 0 && region.in_arena())
        memory_.heap_.publish(region.block, my_bytes_);
    region.id = team_.next_allocation();
    count_allocation(team_, sizes_, pointers, region.id, bytes_);
    if (memory_.network_)
        enter_network(*memory_.network_, region, std::move(sizes_), starts_);
    {
        const std::lock_guard lock(memory_.guard_);
        region.birth = ++memory_.births_;
        if (my_bytes_ > 0) {
            if (region.in_arena())
                memory_.by_descriptor_[region.block.descriptor] = &region;
            else
                memory_.outside_[reinterpret_cast<std::uintptr_t>(region.start)] = &region;
        }
        memory_.teams_[&team_].emplace(region.id, std::move(region_));
    }
    // My node looks into my directory. Other nodes use windows, which were there when all made their offers.
    if (new_windows_)
        team_.barrier();
    else
        team_.meet_on_node();
}

int GlobalMemory::allocate(const char* call, Team& team, bool world, void** pointers, std::int64_t bytes)
{
    Allocation allocation(*this, call, team, world, bytes);
    allocation.offer(pointers != nullptr);
    if (const int error = allocation.agree())
        return error;
    if (allocation.is_empty()) {
        std::fill_n(pointers, team.size(), nullptr);
        return 0;
    }
    if (const int error = allocation.place())
        return error;
    allocation.publish(pointers);
    return 0;
}

int GlobalMemory::allocate_alone(const char* call, std::int64_t bytes, void*& pointer)
{
    pointer = nullptr;
    if (bytes < 0)
        return diag::reject(call, "size is %" PRId64 " bytes; it must not be negative", bytes);
    if (bytes == 0)
        return 0;
    const auto size = static_cast<std::uint64_t>(bytes);
    std::uint64_t available = 0;
    if (!budget_.take(size, available))
        return diag::reject(call,
                            "%" PRIu64 " bytes asked, but only %" PRIu64
                            " bytes are available to global memory on this node",
                            size, available);
    auto region = std::make_unique<Region>();
    region->kind = network_ ? Region::Kind::pooled : Region::Kind::local;
    auto block = heap_.place(Region::area_of(region->kind), size);
    if (!block && network_) {
        region->kind = Region::Kind::local;
        block = heap_.place(Area::local, size);
    }
    if (!block) {
        budget_.give_back(size);
        return diag::reject(
            call, "%" PRIu64 " bytes asked, but the address range has no room; raise ARMCI_ARENA_SIZE", size);
    }
    heap_.publish(*block, size);
    region->block = *block;
    region->placed = true;
    region->start = heap_.address(*block);
    region->bytes = size;
    const std::lock_guard lock(guard_);
    by_descriptor_[block->descriptor] = region.get();
    alone_[block->descriptor] = std::move(region);
    pointer = heap_.address(*block);
    observe::statistics::count_allocation(bytes, 0, {});
    return 0;
}

} // namespace armci::gmr
