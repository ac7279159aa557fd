// Region: what one process keeps about an allocation that it is a member of.
#pragma once

#include "armci/base/runs.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/memory/team.hpp"
#include "gmr/network/window.hpp"

#include <cstdint>
#include <memory>

namespace armci::gmr {

struct Region {
    // Where the memory lies and what reaches it over the network.
    enum class Kind {
        symmetric,  // same offset everywhere; pooled windows, or none where the job has none
        local,      // this node only; no window
        pooled,     // pooled windows, place of my own
        own_window, // MPI_Win_create over my block
        attached,   // attached to the dynamic window
        allocated,  // MPI_Win_allocate: outside the arena
        shared      // MPI_Win_allocate_shared, and a window over it: outside the arena
    };
    static constexpr std::uint64_t alone = 0;
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0}; // the place of a part of 0 bytes

    static Area area_of(Kind kind)
    {
        switch (kind) {
        case Kind::symmetric:
            return Area::symmetric;
        case Kind::local:
            return Area::local;
        case Kind::pooled:
            return Area::pooled;
        default:
            return Area::windowed;
        }
    }
    bool in_arena() const { return kind != Kind::allocated && kind != Kind::shared; }

    Kind kind = Kind::local;
    bool placed = false;      // a block is held, even if 0 bytes of it are mine
    Team* team = nullptr;     // null for what one process made
    std::uint64_t birth = 0;  // counts my regions of teams
    std::uint64_t id = alone; // counts the team's allocations, so that members name a region alike
    Block block;
    std::byte* start = nullptr; // of my slice; null when that is empty
    std::uint64_t bytes = 0;    // of my slice
    Runs places;                // of each member's part in its slice, where the network has entries
    std::unique_ptr<Window> memory_window; // holds the memory of a shared region
    std::unique_ptr<Window> window;
    int open_accesses = 0;
    int mode = 0;
};

} // namespace armci::gmr
