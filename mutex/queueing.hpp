// Queueing: a fair lock of MPI-2 operations alone (Latham, Ross and Thakur; paper "Supporting the Global
// Arrays PGAS model using MPI one-sided communication", V-D).
//
// Each mutex is a byte for each process, on its owner: 1 while that process holds it or waits. In one
// exclusive epoch a process sets its byte and reads all others: if none is set, it holds the mutex; otherwise
// it waits for a message from anybody. Who unlocks clears its byte and reads the others likewise, and sends
// the message to the first that is set after its own, round and round: so each waiter lets every other
// process by once at most. try_lock() reads first and sets its byte in the same epoch, if it is alone; it
// takes the very epoch by which the holder lets go, so who tries again and again gives way for longer.
// Ordering: exclusive epochs on one window and target follow one another; messages as in hand_over.hpp.
#pragma once

#include "mutex/algorithm.hpp"
#include "mutex/numbers.hpp"
#include "mutex/turns.hpp"

#include "armci/base/mpi.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/memory/team.hpp"
#include "gmr/network/window.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace armci::mutex {

class Queueing : public Algorithm {
public:
    // Bytes of window memory that each process needs.
    static std::uint64_t window_bytes(const gmr::Team& team, const Numbers& numbers);

    // Collective over `team`. `memory` has window_bytes(), zeroed and aligned to a page; it stays the
    // caller's.
    Queueing(gmr::Team& team, std::byte* memory, const Numbers& numbers);

    void lock(int mutex, int owner, std::uint64_t thread) override;
    bool try_lock(int mutex, int owner, std::uint64_t thread) override;
    void unlock(int mutex, int owner) override;
    std::uint64_t holder(int mutex, int owner) const override;
    bool is_held(int mutex) override;

private:
    gmr::Target byte(int mutex, int owner, int rank) const;
    // Reads the bytes of all others, mine as 0.
    void read_others(int mutex, int owner, std::vector<char>& bytes) const;
    void give_way();
    // Sets mine and reads the others in one epoch; the rank of the first that is set after mine, or none.
    std::optional<int> set_and_find(int mutex, int owner, char mine) const;

    gmr::Team& team_;
    mpi::Comm messages_;
    Numbers numbers_;
    Turns turns_;
    std::unique_ptr<gmr::Window> window_;
    std::atomic<int> misses_{0}; // of try_lock() since the last one that took a mutex
};

} // namespace armci::mutex
