// Flush: the only place that flushes, and the list of dirty targets, by which fences and barriers cost what
// is pending, not what exists.
//
// Everything here is called with guard() held, but for the count of gets. Gets complete by their requests, or
// by a full flush. While one is in flight, Open MPI's MPI_Win_flush_local to another rank never returns, and
// MPICH's returns before the data of the get is there (docs/mpi-facts.md); so every local flush is then a
// full one.
#pragma once

#include "gmr/memory/target.hpp"
#include "gmr/network/window.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace armci::gmr::flush {

std::mutex& guard(); // of all records of what is pending
extern std::atomic<int> gets_in_flight;

struct Dirty {
    Window* window;
    int rank;
    int process;
    bool on_my_node;

    Pending& pending() const { return window->pending(rank); }
};
// Which of them; asked about each.
using Which = std::function<bool(const Dirty&)>;

// Enters the target in the list.
void list(const Target& target);
std::size_t listed();
bool any(const Which& wanted);

// Returns when everything of the target is complete there; and here.
void whole(Window& window, int rank);
void locally(Window& window, int rank);
// The first, in an epoch that completion::begin() opened on a window that is in none for life. Of these there
// are no records, and the guard is not needed.
void in_epoch(Window& window, int rank);
// As the first two for listed ones; those that are complete there leave the list.
void whole_where(const Which& wanted);
void locally_where(const Which& wanted);

// Ends a blocking write of this extent: locally, or wholly where that is needed or a fence is expected.
void end_of_write(const Target& target, std::uint64_t extent);

// Counts operations left to the next local completion.
void count_left(Pending& pending, int count);
int left_in_all();

} // namespace armci::gmr::flush
