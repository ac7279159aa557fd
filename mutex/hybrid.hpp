// Hybrid: tickets within each node, MCS between nodes, and CPU atomics alone while only the owner's node
// comes (paper "Natively Supporting True One-sided Communication in MPI on Multi-core Systems", section 4,
// whose migration policies are left open there).
//
// Whoever comes takes the ticket lock of its node first, so that a node is one customer of the network. Each
// mutex is in CPU mode or in network mode. In CPU mode the ticket lock of the owner's node is all that its
// processes take; the network takes part through two words on the owner, each written by one side only:
//
// - `announced`, written by CPUs of the owner's node: one of them asks for the mutex, 1, or holds it, 2
// - `mode`, written by MPI: odd in network mode; the other bits name who came from another node last
//
// Who comes by the CPU writes announced = 1 and looks whether mode is even. If it is, announced = 2, and it
// holds the mutex; otherwise announced = 0, and it goes to the network.
//
// Who comes by the network becomes the holder of the MCS lock, makes mode odd, completes that, and waits
// until announced is 0. A trylock gives up at 2, but waits while it is 1: else both might give up a free
// mutex.
//
// Each side writes its word before it reads the other's (sequentially consistent; MPI's write is complete at
// the target before the read is issued), so at least one sees the other, and never do both enter. Only the
// holder of the MCS lock changes the mode, back to CPU when it lets go, as the policy says. The words of the
// MCS queue live on the owner, so that any process of a node may let go what another has queued for.
//
// Hand-over: who unlocks in network mode gives the mutex to its own node's next ticket, `most_in_a_row` times
// at most; then other nodes have their turn. In CPU mode a mode made odd stops the next one that comes. So
// nobody starves. Model: tests/models/hybrid.pml.
#pragma once

#include "mutex/algorithm.hpp"
#include "mutex/node_mutex.hpp"
#include "mutex/numbers.hpp"
#include "mutex/queue.hpp"

#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"
#include "gmr/memory/team.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::mutex {

class Hybrid : public Algorithm {
public:
    // Bytes of window memory that each process needs, a multiple of what the rest must be aligned to; and of
    // memory that the first process of each node shares with its node.
    static std::uint64_t window_bytes(const gmr::Team& team, const Numbers& numbers);
    static std::uint64_t node_bytes(const Numbers& numbers);

    // Collective over `team`. `memory` is that of the window of each process of my node by team rank, `node`
    // is what the first of them shares; both are zeroed, and stay the caller's.
    Hybrid(gmr::Team& team, std::vector<std::byte*> memory, std::byte* node, const Settings& settings,
           const Numbers& numbers);

    void lock(int mutex, int owner, std::uint64_t thread) override;
    bool try_lock(int mutex, int owner, std::uint64_t thread) override;
    void unlock(int mutex, int owner) override;
    std::uint64_t holder(int mutex, int owner) const override;
    bool is_held(int mutex) override;

private:
    // What the processes of a node know of one mutex; but for the ticket lock, its holder's alone.
    struct alignas(64) Slot {
        NodeMutex mutex;
        std::int32_t queued_by; // the process, from 1, that has the MCS lock for this node; 0: not held
        std::int32_t in_a_row;  // hand-overs within the node since then
        std::uint32_t arrival;  // whom `mode` named when this node, the owner's, came by the network last;
                                // on another node, how often it came
        std::int32_t alone;     // times in a row that this node, the owner's, came so and found it unchanged
    };
    // Of one mutex on its owner, in 32-bit words.
    enum Word : std::size_t { tail, mode, announced, first_follower };

    static std::uint64_t words_of(const gmr::Team& team, const Numbers& numbers);
    std::size_t word(int mutex, std::size_t which) const;
    Slot& slot(int mutex, int owner) const { return slots_[numbers_.of(mutex, owner)]; }
    // A word of a process of my node, as its CPUs see it.
    std::atomic_ref<std::int32_t> here(int mutex, int owner, Word which) const;
    bool is_near(int owner) const { return memory_[static_cast<std::size_t>(owner)] != nullptr; }

    void progress_for_others(int owner) const;
    bool enter_by_cpu(int mutex, int owner) const;
    // Having the MCS lock, from another node: makes the mode odd; true when it was even.
    bool stop_cpus(int mutex, int owner, Slot& mine) const;
    // Once it is odd: whether a CPU holds the mutex, for who gives up then.
    bool is_held_by_cpu(int mutex, int owner) const;
    void let_cpus_in(int mutex, int owner) const;
    // Having it, from the owner's node: notes whether others came meanwhile.
    void look_back(int mutex, int owner, Slot& mine) const;
    bool goes_back_to_cpu(int mutex, int owner, const Slot& mine) const;
    Queue::Place place(int mutex, int owner) const;
    // Gives the MCS lock to the next node, if one waits.
    void hand_to_next_node(int mutex, int owner, std::int32_t queued_by);

    gmr::Team& team_;
    Numbers numbers_;
    MigrationPolicy policy_;
    std::vector<std::byte*> memory_; // of the window, by team rank; null off my node
    Slot* slots_;
    Queue queue_;
    const Words& words_;
};

} // namespace armci::mutex
