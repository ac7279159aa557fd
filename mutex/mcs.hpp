// MCS: a fair queueing lock between nodes (Mellor-Crummey and Scott, on MPI-3 fetch-and-op and
// compare-and-swap; paper "MPI-3 one-sided in MPICH", section 5.2).
//
// Each mutex has a tail word on its owner: the process that came last. Each process has, for each mutex, a
// word that names who comes after it. Whoever comes swaps itself into the tail; if somebody was there, it
// writes itself into that process's word and waits for a message, which the holder sends when it unlocks. So
// waiting costs the network nothing. Transitions: tail 0 -> p (free, p holds); tail q -> p (p waits behind
// q); tail p -> 0 (p unlocks, nobody waits). Ordering: unlock completes the holder's operations on all
// targets before it hands over. The words are changed by MPI's atomics only.
#pragma once

#include "gmr/heap.hpp"
#include "gmr/network.hpp"
#include "gmr/team.hpp"
#include "gmr/window.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace armci::mutex {

class Mcs {
public:
    // Bytes of window memory, and of other memory, that each process needs; counts[r] mutexes live on team
    // rank r.
    static std::uint64_t window_bytes(const std::vector<int>& counts);
    static std::uint64_t other_bytes(const std::vector<int>& counts);

    // Collective over `team`. `memory` has window_bytes(counts) and is aligned to a page; it stays the
    // caller's.
    Mcs(gmr::Team& team, std::byte* memory, const Settings& settings, const std::vector<int>& counts);
    ~Mcs(); // collective
    Mcs(const Mcs&) = delete;
    Mcs& operator=(const Mcs&) = delete;

    void lock(int mutex, int owner, std::uint64_t thread);
    bool try_lock(int mutex, int owner, std::uint64_t thread);
    void unlock(int mutex, int owner);
    // The thread of this process that holds it; 0 for none of mine.
    std::uint64_t holder(int mutex, int owner) const;
    // Team rank of the process at the tail of a mutex of mine; -1 when it is free.
    int tail_of_mine(int mutex);

private:
    // What this process does with one mutex: one of its threads at a time.
    struct Local {
        std::mutex turn;
        std::atomic<std::uint64_t> holder{0};
    };

    std::size_t number(int mutex, int owner) const;
    gmr::Target word(int rank, std::size_t index) const;
    std::int32_t swap(const gmr::Target& word, std::int32_t value) const;
    std::int32_t compare_and_swap(const gmr::Target& word, std::int32_t expected, std::int32_t value) const;
    std::int32_t read(const gmr::Target& word) const;

    gmr::Team& team_;
    mpi::Comm messages_;
    std::vector<std::size_t> first_; // number of a rank's first mutex
    std::size_t most_ = 0;           // of one process
    std::size_t total_ = 0;
    std::unique_ptr<gmr::Window> window_; // tails of my mutexes, then my followers for all mutexes
    std::unique_ptr<Local[]> local_;
};

} // namespace armci::mutex
