// Window: an MPI window with its epoch discipline, and what is pending in it.
//
// Under lock_all the window is in one access epoch for its life (MPI-3, 11.5.3) and completion comes by
// flush; with the other styles the operations of one call are enclosed in a lock of their target, and
// unlocking completes them (the discipline of MPI-2). Only gmr/rma issues operations, only gmr/completion
// flushes and opens epochs.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/settings.hpp"
#include "gmr/fence_habit.hpp"
#include "gmr/staging.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace armci::gmr {

// What an operation does to the target's bytes. MPI keeps ordered puts and gets behind earlier ordered puts.
// A fetch-and-op may answer before its new value is in place; a later one waits for that.
// Accumulates of one type commute; those of two types do not where one carries into the other's bytes, and
// Open MPI does not keep them in order (docs/mpi-facts.md).
enum class Access : std::uint8_t {
    get,
    put,
    ordered_get,
    ordered_put,
    accumulate_int,
    accumulate_long,
    accumulate_float,
    accumulate_double,
    fetch_and_op
};

// What I have written to one target of one window and not yet completed there, and read and not yet completed
// here.
struct Pending {
    struct Interval {
        std::uint64_t first;
        std::uint64_t last; // one past
        Access access;
    };
    std::vector<Interval> writes;
    std::vector<Interval> reads; // by gets that may be in flight
    int gets = 0;                // in flight that a flush completes
    int begun = 0;               // gets with handles since the program's wait `waits`
    std::uint64_t waits = 0;
    int left = 0;                  // operations that were left to the next local completion
    std::uint64_t accumulated = 0; // bytes, of operations that may not have completed locally
    Buffers lent;                  // sources of operations that may not have completed locally
    bool listed = false;           // in completion's list of dirty targets
    bool unfinished = false;       // something may not have completed locally
    FenceHabit fences;
};

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
    // For a shared window: where I see the memory of a rank of its communicator.
    std::byte* shared_base(int rank) const;

    // Whether this process has as many windows as it should ask MPI for.
    static bool are_used_up();

    Pending& pending(int rank) { return pending_[static_cast<std::size_t>(rank)]; }
    int ranks() const { return static_cast<int>(pending_.size()); }

private:
    Window(MPI_Win window, MPI_Comm comm, EpochStyle epochs);
    void lock(int rank);
    void unlock(int rank);

    MPI_Win window_;
    EpochStyle epochs_;
    bool separate_ = false;
    std::recursive_mutex own_turn_;
    std::recursive_mutex* turn_ = &own_turn_; // of the threads that lock targets
    std::vector<Pending> pending_;
};

} // namespace armci::gmr
