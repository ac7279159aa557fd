// MCS: a fair queueing lock between processes (Mellor-Crummey and Scott, on MPI-3 fetch-and-op and
// compare-and-swap; paper "MPI-3 one-sided in MPICH", section 5.2).
//
// Each mutex has a tail word on its owner: the process that came last. Each process has, for each mutex, a
// word that names who comes after it, and names nobody unless this process holds or waits. Whoever comes
// swaps itself into the tail; if somebody was there, it writes itself into that process's word and waits for
// a message, which the holder sends when it unlocks. So waiting costs the network nothing. Transitions: tail
// 0 -> p (free, p holds); tail q -> p (p waits behind q); tail p -> 0 (p unlocks, nobody waits). Alone that
// is one operation on the owner for each; who was followed the last time looks into its own word first, so
// that the next one need not wait for a look at the tail. Ordering: the message, or the swap that found the
// tail free, is after the unlock of the holder before. Model: tests/models/mcs.pml.
#pragma once

#include "mutex/algorithm.hpp"
#include "mutex/numbers.hpp"
#include "mutex/turns.hpp"
#include "mutex/words.hpp"

#include "gmr/memory/team.hpp"

#include <vector>

namespace armci::mutex {

class Mcs : public Algorithm {
public:
    // Bytes of window memory that each process needs.
    static std::uint64_t window_bytes(const Numbers& numbers);

    // Collective over `team`. `memory` is as Words wants it.
    Mcs(gmr::Team& team, std::byte* memory, EpochStyle epochs, const Numbers& numbers);

    void lock(int mutex, int owner, std::uint64_t thread) override;
    bool try_lock(int mutex, int owner, std::uint64_t thread) override;
    void unlock(int mutex, int owner) override;
    std::uint64_t holder(int mutex, int owner) const override;
    bool is_held(int mutex) override;

private:
    std::size_t follower(std::size_t number) const { return numbers_.most() + number; }
    std::int32_t take_follower(std::size_t number);

    gmr::Team& team_;
    mpi::Comm messages_;
    Numbers numbers_;
    Turns turns_;
    Words words_;                    // tails of my mutexes, then my followers for all mutexes
    std::vector<char> was_followed_; // when I unlocked it last; of the one who holds it
};

} // namespace armci::mutex
