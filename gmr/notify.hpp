// Notify: counted signals from process to process, after which the data put before them is there.
#pragma once

#include "armci/base/wait.hpp"
#include "gmr/heap.hpp"

#include <mpi.h>

#include <atomic>
#include <vector>

namespace armci::gmr {

// One counter for each (sender, receiver) pair, in the receiver's heap.
// Ordering: notify() is a seq_cst increment after all my earlier stores; wait() reads it with acquire.
class Notifier {
public:
    // Collective over the world, all on one node.
    Notifier(MPI_Comm world, Heap& heap);
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    // Signals `process`; returns how many signals I have sent it so far.
    int notify(int process);
    // Waits for the next signal of `process` that I have not waited for; returns its number.
    int wait(int process);

private:
    struct Counter {
        alignas(64) wait::Word word;
    };

    Heap& heap_;
    int me_ = 0;
    std::vector<Counter*> inbox_of_; // by receiver: an array by sender
    std::vector<std::atomic<std::uint32_t>> awaited_; // by sender; threads may share the signals of one
};

} // namespace armci::gmr
