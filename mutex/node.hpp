// Node: ticket locks in memory that the processes of one node share (mutex/node_mutex.hpp).
#pragma once

#include "mutex/algorithm.hpp"
#include "mutex/node_mutex.hpp"

#include <cstddef>
#include <vector>

namespace armci::mutex {

class Node : public Algorithm {
public:
    struct alignas(64) Slot {
        NodeMutex mutex;
    };

    // `slots` of each team rank: zeroed memory of the node, which stays the caller's.
    Node(int me, std::vector<Slot*> slots) : me_(me), slots_(std::move(slots)) {}

    void lock(int mutex, int owner, std::uint64_t thread) override { at(mutex, owner).lock(thread); }
    bool try_lock(int mutex, int owner, std::uint64_t thread) override
    {
        return at(mutex, owner).try_lock(thread);
    }
    void unlock(int mutex, int owner) override { at(mutex, owner).unlock(); }
    std::uint64_t holder(int mutex, int owner) const override { return at(mutex, owner).holder(); }
    bool is_held(int mutex) override { return holder(mutex, me_) != 0; }

private:
    NodeMutex& at(int mutex, int owner) const { return slots_[static_cast<std::size_t>(owner)][mutex].mutex; }

    int me_;
    std::vector<Slot*> slots_;
};

} // namespace armci::mutex
