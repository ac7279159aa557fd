// Window: an MPI window with its epoch discipline, and what is pending in it.
//
// Under lock_all the window is in one access epoch for its life (MPI-3, 11.5.3) and completion comes by
// flush; with the other styles the operations of one call are enclosed in a lock of their target, and
// unlocking completes them (the discipline of MPI-2). Only gmr/network/rma issues operations, only
// gmr/network/flush flushes, and only gmr/network/completion opens epochs.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/settings.hpp"
#include "gmr/network/pending_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace armci::gmr {

class Window {
public:
    // All are collective over `comm`. `over` exposes my memory [base, base + bytes); the others let MPI find
    // it.
    static std::unique_ptr<Window> over(MPI_Comm comm, void* base, std::size_t bytes, EpochStyle epochs);
    static std::unique_ptr<Window> allocate(MPI_Comm comm, std::size_t bytes, EpochStyle epochs, void*& base);
    static std::unique_ptr<Window> allocate_shared(MPI_Comm node, std::size_t bytes, void*& base);
    static std::unique_ptr<Window> dynamic(MPI_Comm comm, EpochStyle epochs);
    ~Window(); // collective
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    MPI_Win get() const { return window_; }
    bool locks_all() const { return epochs_ == EpochStyle::lock_all; }
    // MPI keeps a public and a private copy of the memory apart (MPI-3, 11.4): loads and stores need sync().
    bool separate() const { return separate_; }
    void sync() { mpi::check(MPI_Win_sync(window_), "MPI_Win_sync"); }

    // Around the operations of one call to one target; nothing to do under lock_all. A process may lock a
    // target once at a time, so its threads take turns; some MPIs want that for all windows together.
    void begin(int rank)
    {
        if (!locks_all())
            lock(rank);
    }
    void end(int rank)
    {
        if (!locks_all())
            unlock(rank);
    }

    // For a dynamic window: local memory that others may reach from now on, or no longer.
    void attach(void* base, std::size_t bytes);
    void detach(void* base);
    // Returns whether one operation may reach memory of two attach() calls.
    bool can_join_attached() const;
    // For a shared window: where I see the memory of a rank of its communicator.
    std::byte* shared_base(int rank) const;

    // Whether this process has as many windows as it should ask MPI for.
    static bool are_used_up();

    PendingTable& pending() { return pending_; }
    Pending& pending(int rank) { return pending_.of(rank); }
    int ranks() const { return ranks_; }

private:
    Window(MPI_Win window, MPI_Comm comm, EpochStyle epochs);
    void lock(int rank);
    void unlock(int rank);

    MPI_Win window_;
    EpochStyle epochs_;
    bool separate_ = false;
    bool attaches_ = false;
    std::recursive_mutex own_turn_;
    std::recursive_mutex* turn_ = &own_turn_; // of the threads that lock targets
    int ranks_ = 0;
    PendingTable pending_;
};

} // namespace armci::gmr
