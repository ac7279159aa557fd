// Translation: the windows of a job that needs them, and the way from (process, address) to window, rank and
// displacement. Where active messages carry out everything (gmr/active_messages/), there are no windows, and
// the displacement is that in the process's slice.
//
// Pooled windows, of the whole world, lie over growing parts of the symmetric and pooled areas of every
// slice; there are few, as each is at least as large as all before it in its area. Everything else has an
// entry by process and address: members of groups, and regions with a window of their own.
//
// - symmetric address: my own directory, which places regions alike everywhere; sizes by process
//   and pooled window
// - other address: entry of that process
//
// Find and change may run in several threads.
#pragma once

#include "armci/base/runs.hpp"
#include "armci/base/settings.hpp"
#include "armci/base/spread.hpp"
#include "armci/base/topology.hpp"
#include "gmr/memory/arena.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/memory/miss.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/network/window.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace armci::gmr {

class Translation {
public:
    enum class Reach { windows, messages };

    // Collective over `world`. Opens the first pooled windows; without windows, all of both areas.
    Translation(MPI_Comm world, const Topology& topology, const Arena& arena, Heap& heap,
                const Settings& settings, Reach reach);

    bool has_windows() const { return reach_ == Reach::windows; }
    // Whether processes of a node may load and store each other's memory.
    bool load_store() const { return load_store_; }
    bool on_my_node(int process) const { return topology_.same_node(process); }
    const Settings& settings() const { return settings_; }
    std::byte* slice(int process) const
    {
        return slices_.empty() ? first_slice_ + static_cast<std::size_t>(topology_.node_rank(process)) * span_
                               : slices_[static_cast<std::size_t>(process)];
    }

    // Collective over the world: one more window over `area` (symmetric or pooled), for a block of `bytes`.
    // False when its range is used up, everywhere alike, as it is where there are no windows.
    bool grow(Area area, std::uint64_t bytes);
    // The pooled area is nearly full: worth opening more at the next occasion.
    bool pooled_is_low() const;

    // The symmetric region with this descriptor, whose block starts at `offset` in every slice.
    // `sizes` holds bytes by process.
    void add_symmetric(std::uint32_t descriptor, std::uint64_t offset, Runs sizes);
    void remove_symmetric(std::uint32_t descriptor);

    // Memory of one process, reached through `window`; null means the pooled one over its address.
    struct Entry {
        std::uint64_t bytes = 0;
        Window* window = nullptr;
        int rank = -1;                  // in `window`
        std::uintptr_t window_base = 0; // displacement = address - window_base
        std::byte* local = nullptr;     // where I see it, if I may load and store there
        const void* region = nullptr;   // whose entry it is
    };
    // Where a thread of mine is late to remove a region, its owner may have given the memory to the next one
    // already: what is added takes the place of what it overlaps, and remove() leaves entries of others.
    void add(int process, const void* start, Entry entry);
    void remove(int process, const void* start, const void* region);

    // Finds [address, address + extent). On a miss (Target::is_miss), `near` tells the region that holds
    // the first byte, if there is one.
    Target find(int process, const void* address, std::uint64_t extent, Use use, Near& near) const
    {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        const Recent& recent = recent_[slot_of(process)];
        const std::uint64_t offset = at - recent.start;
        if (recent.version == version_.load(std::memory_order_acquire) && recent.process == process &&
            recent.use == use && offset < recent.bytes && extent <= recent.bytes - offset) [[likely]] {
            Target target = recent.target;
            target.displacement += offset;
            return target;
        }
        return search(process, address, extent, use, near);
    }

    // The dynamic window of the world, for the flavour that attaches.
    Window* dynamic() { return dynamic_.get(); }

    // Makes loads, stores and MPI's operations agree, where MPI keeps two copies apart.
    void sync();

private:
    // What a thread found last for a process: a region, or the part of it that one window reaches. Valid
    // while nothing was added or removed.
    struct Recent {
        std::uint64_t version;
        std::uintptr_t start;
        std::uint64_t bytes;
        int process;
        Use use;
        Target target; // of its first byte
    };
    static constexpr int recent_bits = 6;
    static std::size_t slot_of(int process)
    {
        return spread_runs(static_cast<unsigned>(process), recent_bits);
    }
    static constinit thread_local std::array<Recent, std::size_t{1} << recent_bits> recent_;

    Target search(int process, const void* address, std::uint64_t extent, Use use, Near& near) const;
    void changed();

    struct Pool {
        Range range; // of every slice
        std::unique_ptr<Window> window;
    };
    struct Symmetric {
        std::uint64_t offset;
        Runs sizes; // bytes by process
    };

    void find_slices();
    // False where no pooled window, or no message, reaches the offset.
    bool aim(Target& target, std::uint64_t offset) const;

    MPI_Comm world_;
    const Topology& topology_;
    const Settings& settings_;
    Heap& heap_;
    int me_ = 0;
    std::uint64_t span_ = 0;
    Reach reach_;
    bool windows_take_memory_ = false; // as soon as they are made
    bool load_store_ = true;
    std::byte* first_slice_ = nullptr;   // on each node, where slices lie alike on all
    std::vector<std::byte*> slices_;     // by process, as its own node maps it, where they do not
    std::vector<Directory> directories_; // of my node, by its ranks
    std::array<std::uint64_t, 2> opened_{};
    std::unique_ptr<Window> dynamic_;

    std::atomic<std::uint64_t> version_; // of the two tables; none is the same in two translations

    mutable std::shared_mutex guard_; // of what follows
    std::vector<Pool> pools_;         // ascending
    std::unordered_map<std::uint32_t, Symmetric> symmetric_;
    std::unordered_map<int, std::map<std::uintptr_t, Entry>> entries_;
};

} // namespace armci::gmr
