#include "gmr/network/translation.hpp"

#include "gmr/network/modes.hpp"
#include "gmr/network/mpi_exclusion.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

namespace armci::gmr {
namespace {

std::uint64_t whole_chunks(std::uint64_t bytes)
{
    return (bytes + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
}

std::size_t index_of(Area area)
{
    return area == Area::symmetric ? 0 : 1;
}

// Pages of a range that begins on a page, of those that exist. Where the system does not tell, none.
std::size_t resident_pages(std::byte* memory, std::uint64_t bytes)
{
    std::vector<unsigned char> pages((bytes + page_bytes() - 1) / page_bytes());
    if (mincore(memory, bytes, pages.data()) != 0)
        return 0;
    return static_cast<std::size_t>(
        std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; }));
}

} // namespace

Translation::Translation(MPI_Comm world, const Topology& topology, const Arena& arena, Heap& heap,
                         const Settings& settings, Reach reach)
    : world_(world), topology_(topology), settings_(settings), heap_(heap), span_(arena.span()),
      reach_(reach), load_store_(settings.force_mpi == 0)
{
    mpi::check(MPI_Comm_rank(world, &me_), "MPI_Comm_rank");
    find_slices();
    for (std::size_t i = 0; i < topology.members(topology.my_node()).size(); ++i)
        directories_.emplace_back(arena.directory(static_cast<int>(i)), span_);
    changed();
    if (reach == Reach::messages) {
        for (const Area area : {Area::symmetric, Area::pooled}) {
            const Range all = range_of(area, span_);
            opened_[index_of(area)] = all.last - all.first;
            heap_.open(area, all);
        }
        return;
    }
    grow(Area::symmetric, 0);
    grow(Area::pooled, 0);
    load_store_ = load_store_ && !pools_.front().window->separate();
    if (settings.window == WindowFlavour::dynamic)
        dynamic_ = Window::dynamic(world, settings.epochs);
}

// Where all nodes map their slices alike, as they do as a rule, no process needs a table of them.
void Translation::find_slices()
{
    first_slice_ = heap_.slice() - static_cast<std::size_t>(topology_.node_rank(me_)) * span_;
    auto first = reinterpret_cast<std::int64_t>(first_slice_);
    std::array<std::int64_t, 2> most{first, -first};
    mpi::allreduce(most.data(), static_cast<int>(most.size()), MPI_INT64_T, MPI_MAX, world_);
    if (most[0] == -most[1])
        return;
    slices_.resize(static_cast<std::size_t>(topology_.processes()));
    std::byte* const mine = heap_.slice();
    mpi::allgather(&mine, slices_.data(), sizeof mine, world_);
}

bool Translation::grow(Area area, std::uint64_t bytes)
{
    const Range all = range_of(area, span_);
    std::uint64_t& opened = opened_[index_of(area)];
    const auto first_chunk = whole_chunks(static_cast<std::uint64_t>(settings_.chunk_size));
    const std::uint64_t most = all.last - all.first - opened;
    // One chunk at the end stays empty, so that no block spans two windows.
    const std::uint64_t least = whole_chunks(bytes + region_lead) + chunk_bytes;
    // As much again, to have few windows; less where each window takes memory at once.
    const std::uint64_t more = windows_take_memory_ ? opened / 8 : opened;
    const std::uint64_t wanted =
        std::max({more, area == Area::symmetric ? first_chunk : first_chunk / 4, least});
    const std::uint64_t length = std::min(whole_chunks(wanted), most);
    if (length < least)
        return false;

    const Range range{all.first + opened, all.first + opened + length};
    std::byte* const memory = heap_.slice() + range.first;
    const std::size_t pages_before = resident_pages(memory, length);
    Pool pool{range, Window::over(world_, memory, length, settings_.epochs)};
    // An adapter that was given the window holds its pages by where they are: the same range with other pages
    // would be other memory to it.
    int took_memory = resident_pages(memory, length) > pages_before ? 1 : 0;
    mpi::allreduce(&took_memory, 1, MPI_INT, MPI_MAX, world_); // all grow alike
    windows_take_memory_ = windows_take_memory_ || took_memory != 0;
    if (windows_take_memory_)
        heap_.keep_pages(area);
    opened += length;
    {
        const std::lock_guard lock(guard_);
        const auto place = std::find_if(pools_.begin(), pools_.end(),
                                        [&](const Pool& one) { return one.range.first > range.first; });
        pools_.insert(place, std::move(pool));
    }
    heap_.open(area, {range.first, range.last - chunk_bytes});
    return true;
}

bool Translation::pooled_is_low() const
{
    return has_windows() &&
           heap_.longest(Area::pooled) < static_cast<std::uint64_t>(settings_.chunk_size) / 16;
}

void Translation::add_symmetric(std::uint32_t descriptor, std::uint64_t offset, Runs sizes)
{
    const std::lock_guard lock(guard_);
    symmetric_[descriptor] = {offset, std::move(sizes)};
    changed();
}

void Translation::remove_symmetric(std::uint32_t descriptor)
{
    const std::lock_guard lock(guard_);
    symmetric_.erase(descriptor);
    changed();
}

void Translation::add(int process, const void* start, Entry entry)
{
    const std::lock_guard lock(guard_);
    std::map<std::uintptr_t, Entry>& table = entries_[process];
    const auto first = reinterpret_cast<std::uintptr_t>(start);
    auto stale = table.lower_bound(first);
    if (stale != table.begin() && first - std::prev(stale)->first < std::prev(stale)->second.bytes)
        --stale;
    while (stale != table.end() && stale->first < first + entry.bytes)
        stale = table.erase(stale);
    table.emplace(first, entry);
    changed();
}

void Translation::remove(int process, const void* start, const void* region)
{
    const std::lock_guard lock(guard_);
    std::map<std::uintptr_t, Entry>& table = entries_[process];
    const auto found = table.find(reinterpret_cast<std::uintptr_t>(start));
    if (found != table.end() && found->second.region == region)
        table.erase(found);
    changed();
}

void Translation::changed()
{
    static std::atomic<std::uint64_t> versions{0};
    version_.store(++versions, std::memory_order_release);
}

bool Translation::aim(Target& target, std::uint64_t offset) const
{
    if (!has_windows()) {
        target.displacement = offset;
    } else {
        const auto pool = std::find_if(pools_.begin(), pools_.end(), [offset](const Pool& one) {
            return offset >= one.range.first && offset < one.range.last;
        });
        if (pool == pools_.end())
            return false;
        target.window = pool->window.get();
        target.displacement = offset - pool->range.first;
    }
    target.rank = target.process;
    return true;
}

thread_local std::array<Translation::Recent, std::size_t{1} << Translation::recent_bits>
    Translation::recent_{};

// In one piece, as it looks in three tables in turn and remembers what it finds.
Target Translation::search(int process, const void* address, std::uint64_t extent, Use use, Near& near) const
{
    Target target;
    target.process = process;
    target.on_my_node = on_my_node(process);
    target.migrates =
        use == Use::atomic && (Modes::the_one() != nullptr || MpiExclusion::the_one() != nullptr);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto slice = reinterpret_cast<std::uintptr_t>(this->slice(process));
    const std::uint64_t offset = at - slice;
    // True when the extent fits a region found; remembers the region otherwise.
    const auto fits = [&](std::uintptr_t start, std::uint64_t bytes) {
        if (at - start >= bytes)
            return false;
        if (extent <= bytes - (at - start))
            return true;
        near = {start, bytes};
        return false;
    };
    const auto remember = [&](std::uintptr_t start, std::uint64_t bytes) {
        Target first = target;
        first.displacement -= at - start;
        recent_[slot_of(process)] = {
            version_.load(std::memory_order_relaxed), start, bytes, process, use, first};
    };

    const std::shared_lock lock(guard_);
    if (offset < range_of(Area::symmetric, span_).last) {
        const Descriptor* const mine = heap_.directory().find(offset);
        const auto region =
            mine == nullptr ? symmetric_.end() : symmetric_.find(heap_.directory().index_of(mine));
        if (region == symmetric_.end())
            return target;
        const std::uintptr_t start = slice + region->second.offset;
        const std::uint64_t bytes = region->second.sizes.of(process);
        if (fits(start, bytes)) {
            aim(target, offset);
            remember(start, bytes);
        }
        return target;
    }
    if (const auto table = entries_.find(process); table != entries_.end()) {
        auto entry = table->second.upper_bound(at);
        if (entry != table->second.begin() && at - (--entry)->first < entry->second.bytes) {
            const auto& [start, found] = *entry;
            if (!fits(start, found.bytes))
                return target;
            if (found.local != nullptr && use != Use::atomic && load_store_) {
                target.local = found.local + (at - start);
            } else if (found.window == nullptr) {
                aim(target, offset);
            } else {
                target.window = found.window;
                target.rank = found.rank;
                target.displacement = at - found.window_base;
            }
            if (!target.use_load_store())
                remember(start, found.bytes);
            return target;
        }
    }
    if (!target.on_my_node)
        return target;
    // Memory of my node that one process or one node's group made: no entry here, but its owner's directory
    // tells.
    const Directory& directory = directories_[static_cast<std::size_t>(topology_.node_rank(process))];
    if (const Descriptor* const region = directory.find(offset)) {
        const std::uint64_t start = region->start.load(std::memory_order_relaxed);
        if (fits(slice + start, region->size())) {
            if (offset >= range_of(Area::local, span_).first)
                target.local = reinterpret_cast<std::byte*>(at);
            else
                aim(target, offset);
        }
    }
    return target;
}

void Translation::sync()
{
    if (load_store_) // no copies apart
        return;
    const std::shared_lock lock(guard_);
    if (!pools_.front().window->separate())
        return;
    for (const Pool& pool : pools_)
        pool.window->sync();
    if (const auto mine = entries_.find(me_); mine != entries_.end())
        for (const auto& [start, entry] : mine->second)
            if (entry.window != nullptr)
                entry.window->sync();
}

} // namespace armci::gmr
