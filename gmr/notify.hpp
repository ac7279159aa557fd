// Notify: counted signals from process to process, after which the data put before them is there.
#pragma once

#include "armci/base/runs.hpp"
#include "armci/base/wait.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/network/translation.hpp"
#include "gmr/network/window.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace armci::gmr {

// One counter for each (sender, receiver) pair, in the receiver's heap: one sender, so one mechanism per
// counter. Ordering: on the node notify() is a seq_cst increment after all my earlier stores. As an active
// message it is carried out behind my earlier ones; through MPI it is sent when my earlier operations are
// complete at the receiver. wait() reads with acquire.
class Notifier {
public:
    // Collective over the world. `network` is null where load and store reach all memory.
    Notifier(MPI_Comm world, const Topology& topology, Heap& heap, Translation* network);
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    // Signals `process`; returns how many signals I have sent it so far.
    int notify(int process);
    // Waits for the next signal of `process` that I have not waited for; returns its number.
    int wait(int process);

private:
    // A receiver's counters: a word for each process of the job, in the places that senders of other nodes
    // know, then one with a line of its own for each sender of its node.
    struct NearCounter {
        alignas(64) wait::Word word;
    };

    std::byte* inbox_of(int receiver) const
    {
        return inbox_of_[static_cast<std::size_t>(topology_.node_rank(receiver))];
    }
    std::size_t near_counters_at() const;
    std::uint32_t send(int process);
    // The counter of a receiver of my node.
    wait::Word& counter(int receiver, int sender) const;

    const Topology& topology_;
    Heap& heap_;
    const Translation* network_;
    Runs inbox_at_;                  // by receiver: from its slice on, for senders on other nodes by messages
    std::unique_ptr<Window> window_; // over the inboxes, for them by MPI
    int me_ = 0;
    std::vector<std::byte*> inbox_of_; // by receiver's rank on my node
    std::mutex guard_;                 // of what follows, as threads may share the signals of one sender
    std::unordered_map<int, std::uint32_t> awaited_; // by sender
    std::unordered_map<int, std::uint32_t> sent_;    // as messages, by receiver
};

} // namespace armci::gmr
