// Modes: who changes the memory of a process by atomic operations (accumulate, read-modify-write), the CPUs
// of its node or MPI. CPU atomics and MPI's are not atomic against each other.
//
// Each process has one mode for each kind of atomic operation, as operations of two kinds on the same bytes
// are promised nothing. It starts in CPU mode. Two sorts of words on the process tell it, each written by one
// side only (the hybrid mutex is built alike):
//
// - `until`, written by MPI: the last epoch in which MPI alone changes the memory
// - turns, one for each process of the node, written by CPUs: how many of its threads are counted in, and how
//   often one came
//
// An epoch lies between two barriers of the world before which everybody's operations were complete, and all
// processes count them alike. So modes go back to CPU by themselves, with no word written.
//
// A CPU that comes counts itself in its turn's word, then reads `until`. If that is before the epoch, it goes
// ahead; otherwise it counts itself out and goes by MPI. Who comes by MPI raises `until` to the epoch or
// further, completes that, and waits until each has been seen not counted in. It does so once for each target
// and kind in the epochs it has asked for; its own node's processes ask for one.
//
// Ordering: each side writes its word before it reads the other's (sequentially consistent; MPI's write is
// complete at the target before the read is issued), so at least one sees the other. What CPUs stored, they
// stored before they counted themselves out (release). What MPI stores in an epoch is complete at the target
// before its origin enters the barrier that ends it. An operation through MPI that a thread begins while
// another is in that barrier belongs to the next epoch already, whereas CPUs count the next one when they
// leave it. Model: tests/models/modes.pml.
//
// For how many epochs MPI keeps a target is the policy (ARMCI_ATOMICS_POLICY, docs/design/0009).
#pragma once

#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/network/window.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace armci::gmr {

class Modes {
public:
    // Collective over `world`. While it lives, CpuTurn and gmr/network/completion ask it.
    // With `fetches_only` other kinds are kept apart otherwise (mpi_exclusion.hpp).
    Modes(MPI_Comm world, const Topology& topology, Heap& heap, const Settings& settings, bool fetches_only);
    ~Modes(); // collective
    Modes(const Modes&) = delete;
    Modes& operator=(const Modes&) = delete;

    // Null where there is none: on one node, where MPI does everything, or where the policy says so.
    static Modes* the_one() { return the_one_; }

    // Counts me in at a process of my node; false, and I am counted out again, where MPI has it.
    bool enter(int process, Access kind);
    void leave(int process, Access kind);

    // Around the issue of operations through MPI, in one thread: CPUs stay out until they are complete.
    void enter_mpi(int process, Access kind);
    void leave_mpi();

    // Around a barrier of the world: all that I begin through MPI from now on belongs to the next epoch; and,
    // where everybody's operations of the last one are complete, CPUs begin it.
    void close_epoch();
    void open_epoch();

private:
    static constexpr std::size_t first_kind = static_cast<std::size_t>(Access::accumulate_int);
    static constexpr std::size_t kinds = static_cast<std::size_t>(Access::fetch_and_op) + 1 - first_kind;
    static std::size_t index_of(Access kind) { return static_cast<std::size_t>(kind) - first_kind; }
    // What I know of one kind on a process.
    struct Claim {
        std::uint64_t until = 0;  // in epochs up to this one MPI alone changes the memory
        std::uint64_t asked = 0;  // the epoch in which I asked for that
        std::uint64_t epochs = 0; // for so many
        std::uint64_t turns = 0;  // that CPUs had tried to take until then
        bool quiet = false;       // few of these came in the epochs before
    };

    std::atomic_ref<std::uint64_t> word(int process, std::size_t line, std::size_t kind) const;
    Target at(int process, std::size_t line, std::size_t kind) const;
    std::size_t turns_of(int process) const { return topology_.members(topology_.node_of(process)).size(); }

    void claim(int process, std::size_t kind, std::uint64_t epoch, Claim& mine);
    std::uint64_t wanted_epochs(std::uint64_t epoch, const Claim& mine) const;
    // Waits until each process has been seen not counted in; how many turns they tried to take since the
    // start.
    std::uint64_t drain(int process, std::size_t kind);

    static Modes* the_one_;

    const Topology& topology_;
    Heap& heap_;
    AtomicsPolicy policy_;
    bool fetches_only_;
    std::size_t my_line_;
    std::byte* memory_;
    int first_;                    // process of my node
    std::vector<std::byte*> near_; // by process, from the first of my node to the last; null for others
    std::unique_ptr<Window> window_;

    alignas(64) std::atomic<std::uint64_t> cpu_epoch_{1};
    alignas(64) std::atomic<std::uint64_t> mpi_epoch_{1};
    std::atomic<std::uint32_t> issuing_[2]{}; // threads, by the last bit of their epoch
    std::mutex guard_;                        // of what follows
    std::unordered_map<int, std::array<Claim, kinds>> claims_;
};

} // namespace armci::gmr
