// Queue: the processes that hold or want a mutex, in the order in which they came (Mellor-Crummey and Scott,
// on MPI-3 fetch-and-op and compare-and-swap; paper "MPI-3 one-sided in MPICH", section 5.2). Serves mcs and
// hybrid.
//
// Each mutex has a tail word on its owner: the process that came last. Each process in the queue has a word
// that names the process after it, its follower, and nobody else has anything in it. A process that comes
// swaps itself into the tail. If another one was there, it writes itself into that one's word and waits for a
// message, which the holder sends when it leaves. So waiting costs the network nothing. Transitions of the
// tail: 0 -> p (p holds); q -> p (p waits behind q); p -> 0 (p leaves, no process waits). Alone, a process
// takes one operation on the owner for each.
//
// By swaps. Open MPI 4 may hang in a compare-and-swap (traits::compare_and_swap_may_hang), so there
//
// - a process that leaves swaps 0 into the tail. If another one was last, it swaps that one back in, and
// waits
//   for its own follower. Where its first swap let others in, they hold the mutex: its followers go behind
//   the last of them. Where it let in none, it hands over to its follower
// - a process that tries reads the tail, and swaps itself in if it is 0. If another one came in between, it
//   gives up: it writes its own number, negative, into that one's word. A process that leaves and finds it
//   leaves for the one that gave up, too, and then sends it a message. The one that gave up reads that
//   message before it enters this queue again. Until then the mutex is held, so a try fails at once
//
// A process that comes in between two swaps of a leaving one overtakes those that wait.
//
// Ordering: the message, or the swap that found the tail free, is after the holder before has left. Callable
// from one thread at a time for each mutex. Model: tests/models/mcs.pml.
#pragma once

#include "mutex/words.hpp"

#include "armci/base/mpi.hpp"
#include "gmr/memory/team.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace armci::mutex {

class Queue {
public:
    // Where the words of a mutex are. `number` is its own in the set.
    struct Place {
        int owner;
        std::size_t number;
        std::size_t tail;      // its index on the owner
        std::size_t followers; // index of the words that name followers
        bool on_owner;         // they lie on the owner, one for each process, else one on each process
    };

    // Collective over `team`. `memory` is as Words wants it, for `words` words; the set has `mutexes`.
    Queue(gmr::Team& team, std::byte* memory, std::uint64_t words, std::size_t mutexes, EpochStyle epochs);
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    const Words& words() const { return words_; }

    // Returns when the mutex is this process's.
    void enter(const Place& place);
    bool try_enter(const Place& place);
    // Leaves for the process `entry` (numbered from 1), which holds the mutex, and returns whether it was
    // followed. `looks_first`: at its follower's word, before the tail.
    bool leave(const Place& place, std::int32_t entry, bool looks_first);

private:
    std::int32_t swap_follower(const Place& place, std::int32_t entry, std::int32_t value) const;
    std::int32_t await_follower(const Place& place, std::int32_t entry) const;
    bool leave_by_swaps(const Place& place, std::int32_t entry, std::int32_t next);
    bool is_out(std::size_t number);

    gmr::Team& team_;
    mpi::Comm messages_;
    Words words_;
    bool by_swaps_;
    std::vector<std::optional<Place>> given_up_; // by mutex: where this process still stands in the queue
};

} // namespace armci::mutex
