// MCS: the queue of mutex/queue.hpp between processes. The words that name followers of a process lie on it,
// one for each mutex. A process that was followed the last time looks into its own word before it looks at
// the tail, so that the next one need not wait for that.
#pragma once

#include "mutex/algorithm.hpp"
#include "mutex/numbers.hpp"
#include "mutex/queue.hpp"
#include "mutex/turns.hpp"

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
    Queue::Place place(int mutex, int owner) const;

    gmr::Team& team_;
    Numbers numbers_;
    Turns turns_;
    Queue queue_;                    // words: tails of my mutexes, then my followers for all mutexes
    std::vector<char> was_followed_; // when I unlocked it last; of the one who holds it
};

} // namespace armci::mutex
