// Global memory: regions, from collective allocation to free.
//
// A region is what one ARMCI_Malloc made: one slice per process of a team, NULL where a process asked for 0
// bytes. World regions lie in the symmetric area: every process finds the same offset by itself. Regions of
// other groups, and what ARMCI_Memget makes, lie in the private areas, and the members tell each other their
// addresses. All error paths of a collective call are collective: every member learns of a mistake on any,
// and returns non-zero.
#pragma once

#include "armci/base/topology.hpp"
#include "gmr/active_messages/active_messages.hpp"
#include "gmr/memory/arena.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/memory/memory_budget.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/memory/team.hpp"
#include "gmr/network/modes.hpp"
#include "gmr/network/mpi_exclusion.hpp"
#include "gmr/network/translation.hpp"
#include "gmr/regions/agreement.hpp"
#include "gmr/regions/region.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace armci::gmr {

class GlobalMemory {
public:
    // Collective over `world`.
    // `gated` says that all calls of MPI, of all processes, pass a gate that admits one thread at a time;
    // `messages` are null where the job has none.
    GlobalMemory(MPI_Comm world, const Topology& topology, int me, const Settings& settings, bool gated,
                 std::unique_ptr<ActiveMessages> messages);
    ~GlobalMemory();
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;

    // Collective over `team`. Fills pointers[i] for team rank i. `world` says that the team is the whole job.
    int allocate(const char* call, Team& team, bool world, void** pointers, std::int64_t bytes);
    // Collective over the team that allocated. `pointer` is my own slice's start, NULL where it has 0 bytes.
    int free(const char* call, Team& team, void* pointer);

    // One process alone: memory that the processes of its node may reach (ARMCI_Memget), and its return.
    int allocate_alone(const char* call, std::int64_t bytes, void*& pointer);
    int free_alone(const char* call, void* pointer);

    // Direct access to my own slice (ARMCI_Access_begin/end); an access must not be open when the region is
    // freed.
    int begin_access(const char* call, const void* pointer);
    int end_access(const char* call, const void* pointer);

    // Access mode of the region at my own `pointer` (a hint, kept for the region's life). `known` is the
    // caller's word that there is such a mode; that one member has it wrong is news for all.
    int set_mode(const char* call, Team& team, const void* pointer, int mode, bool known);
    int mode(const char* call, const void* pointer);

    // True while regions of this team live.
    bool in_use(const Team& team) const;
    // True when addresses of my node's processes may be dereferenced and regions of the world lie alike on
    // all nodes, as Global Arrays expects where there is shared memory.
    bool shared_addresses() const;

    // For people: what carries out accumulates and read-modify-writes.
    const char* atomics() const;

    // Null outside of its life.
    static GlobalMemory* the_one() { return the_one_; }

    // The slow half of gmr::locate(): through a window, or nowhere.
    Target locate(const char* call, int process, const void* address, std::uint64_t extent, Use use) const;

    Heap& heap() { return heap_; }
    MemoryBudget& budget() { return budget_; }
    const Arena& arena() const { return arena_; }
    // Null where modes, or MPI, take its place.
    MpiExclusion* mpi_exclusion() { return mpi_exclusion_.get(); }
    Translation* network() { return network_.get(); } // null where load and store reach all memory

private:
    class Allocation;
    using Regions = std::unordered_map<std::uint64_t, std::unique_ptr<Region>>;
    std::byte* slice(int process) const;
    // What lies `from_slice` bytes behind the start of a process's slice, or anywhere else.
    void* address_of(int process, std::uint64_t from_slice) const;
    // `grown` says that there are more windows now.
    bool place_symmetric(Region& region, std::uint64_t largest, bool& grown);
    // What a call on `team` claims of the region that starts at `pointer`; NULL claims none.
    Claim claim_on(const Team& team, const void* pointer, bool to_free);
    Region* at_start(const void* pointer);
    Region* covering(const void* pointer);
    void drop(Region& region);
    void end_regions();

    static GlobalMemory* the_one_;

    Arena arena_;
    Heap heap_;
    MemoryBudget budget_;
    std::unique_ptr<Translation> network_;
    // All three are null on one node, and where MPI does everything. Otherwise the job has active messages,
    // or each of the others has its kinds of operations.
    std::unique_ptr<ActiveMessages> messages_;
    std::unique_ptr<MpiExclusion> mpi_exclusion_;
    std::unique_ptr<Modes> modes_;
    std::vector<Peer> neighbours_; // by process, from the first of my node to the last
    int first_neighbour_;

    mutable std::mutex guard_;                       // of the tables
    std::unordered_map<const Team*, Regions> teams_; // by id; only teams with regions
    std::uint64_t births_ = 0;
    std::unordered_map<std::uint32_t, Region*> by_descriptor_;
    std::map<std::uintptr_t, Region*> outside_; // my slices that lie outside the arena, by start
    std::unordered_map<std::uint32_t, std::unique_ptr<Region>> alone_;
};

} // namespace armci::gmr
