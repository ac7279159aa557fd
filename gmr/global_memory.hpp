// Global memory: regions, from collective allocation to free.
//
// A region is what one ARMCI_Malloc made: one block per process of a team, NULL where a process asked for 0 bytes.
// World regions lie in the symmetric half: every process finds the same offset by itself. Regions of other groups, and
// what ARMCI_Memget makes, lie in the private half, and the members tell each other their offsets.
// All error paths of a collective call are collective: every member learns of a mistake on any, and returns non-zero.
#pragma once

#include "armci/base/topology.hpp"
#include "gmr/arena.hpp"
#include "gmr/heap.hpp"
#include "gmr/memory_budget.hpp"
#include "gmr/target.hpp"
#include "gmr/team.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace armci::gmr {

class GlobalMemory {
public:
    // Collective over the node, which is the whole job.
    GlobalMemory(const Topology& topology, int me, const Settings& settings);
    ~GlobalMemory();
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;

    // Collective over `team`. Fills pointers[i] for team rank i. `symmetric` only for a team of the whole world.
    int allocate(const char* call, Team& team, bool symmetric, void** pointers, std::int64_t bytes);
    // Collective over the team that allocated. `pointer` is my own slice's start, NULL where it has 0 bytes.
    int free(const char* call, Team& team, void* pointer);

    // One process alone: memory that any process may reach (ARMCI_Memget), and its return.
    int allocate_alone(const char* call, std::int64_t bytes, void*& pointer);
    int free_alone(const char* call, void* pointer);

    // Direct access to my own slice (ARMCI_Access_begin/end); an access must not be open when the region is freed.
    int begin_access(const char* call, const void* pointer);
    int end_access(const char* call, const void* pointer);

    // Access mode of the region at my own `pointer` (a hint, kept for the region's life). `known` is the caller's word
    // that there is such a mode; that one member has it wrong is news for all.
    int set_mode(const char* call, Team& team, const void* pointer, int mode, bool known);
    int mode(const char* call, const void* pointer);

    // True while regions of this team live.
    bool in_use(const Team& team) const;

    Heap& heap() { return heap_; }
    MemoryBudget& budget() { return budget_; }
    const Arena& arena() const { return arena_; }

private:
    static constexpr std::uint64_t alone = 0; // id of regions that no team made
    struct Region {
        Team* team = nullptr;
        std::uint64_t id = alone; // counts the team's allocations, so that members name a region alike
        Half half = Half::own;
        bool placed = false; // a block is held, even if 0 bytes of it are mine
        Block block;
        std::uint64_t bytes = 0;
        int open_accesses = 0;
        int mode = 0;
    };
    using Regions = std::unordered_map<std::uint64_t, std::unique_ptr<Region>>;
    struct TeamRegions {
        std::uint64_t last_id = 0;
        Regions by_id;
    };

    Region* at_start(const void* pointer);
    Region* covering(const void* pointer);
    void drop(Region& region);
    void free_together(Team& team, std::uint64_t id);

    Arena arena_;
    Heap heap_;
    MemoryBudget budget_;
    std::vector<Peer> peers_;
    std::vector<std::byte*> slices_; // by absolute id

    mutable std::mutex guard_; // of the two tables
    std::unordered_map<const Team*, TeamRegions> teams_;
    std::unordered_map<std::uint32_t, Region*> by_descriptor_;
    std::unordered_map<std::uint32_t, std::unique_ptr<Region>> alone_;
};

} // namespace armci::gmr
