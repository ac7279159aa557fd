// Completion: what is on its way to which target, and the only place that flushes.
//
// MPI promises no order between a put and a later put or get of the same origin, and a request that is
// complete is complete at the origin only. Location consistency asks for order where operations meet in the
// same bytes. MPI does keep accumulates in order (MPI-3, 11.7.2), so puts and gets are accumulates with
// MPI_REPLACE and MPI_NO_OP where ARMCI_ORDERING says so. What MPI does not order, we do: each write is noted
// as an interval of its target; an operation that meets a noted one with which MPI does not keep it in order
// flushes that target first, and all others flush nothing. A write also waits for nonblocking gets of the
// same bytes.
//
// Gets complete by their requests, or by a full flush. While one is in flight, Open MPI's MPI_Win_flush_local
// to another rank never returns, and MPICH's returns before the data of the get is there (docs/mpi-facts.md);
// so every local flush is then a full one. A list of dirty (window, target) pairs makes fences and barriers
// cost what is pending, not what exists. Callable from any thread that may call MPI.
#pragma once

#include "gmr/target.hpp"
#include "gmr/window.hpp"

#include <cstdint>
#include <mutex>

namespace armci::gmr::completion {

// Chooses how puts and gets are ordered; `automatic` means accumulates.
void set_ordering(Ordering ordering);
// Whether puts and gets are accumulates.
bool by_accumulates();
// What a put of `bytes`, and a get, are.
Access put_access(std::uint64_t bytes);
Access get_access();

// Before operations on [target, target + extent): completes earlier writes that they must not overtake, and
// opens an access epoch where the window is not in one for life.
void begin(const Target& target, std::uint64_t extent, Access access);
// After issuing them: puts and accumulates are pending until the next flush of their target. Ends the epoch
// that begin() opened, which completes them.
void end(const Target& target, std::uint64_t extent, Access access);

// In the epoch that begin() opened: completes what I issued in it. Never on a window that is in one for life.
void finish_epoch(const Target& target);
// Returns when what I issued to the target is complete here: sources reusable, results in place. Between
// begin() and end(), or after both.
void finish_locally(const Target& target);
// The same at the end of a blocking write of this extent; complete at the target, too, where a fence is
// expected (gmr/fence_habit.hpp).
void finish_write(const Target& target, std::uint64_t extent);
// Ends what begin() began, and returns when what I issued to the target is complete there.
void end_complete(const Target& target);
// Counts operations that wait for nobody's request, and bytes that I accumulate: too many, for one target or
// in all, complete here first.
void left(const Target& target, int count, std::uint64_t accumulated = 0);
bool something_is_left(const Target& target);
// Counts gets in flight: those that the next flush of the target completes, and those with requests.
void gets_began(const Target& target, int count);
void gets_began(int count);
// Counts a get with a handle. Whether several of this target have begun since anybody waited: the next ones
// cost less by a flush of all than by requests. Who waits for one and begins the next has few in flight, and
// no use for a flush that waits for those behind the first. Never in a program that tests handles: a test
// must not wait, and of a request it need not.
bool gets_come_in_numbers(const Target& target);
// Somebody waits, or tests a handle.
void somebody_waits();
void handle_is_tested();
// Returns when gets that only a flush of the target completes are.
void finish_gets(const Target& target);
void gets_ended(int count);

// Keeps sources of pending operations until the target is complete here. Between begin() and end().
void lend(const Target& target, Buffers buffers);

// Around what issues one write: begin(), end() and finish_write() at the price of one. Holds this file's
// lock meanwhile.
class BlockingWrite {
public:
    BlockingWrite(const Target& target, std::uint64_t extent, Access access);
    ~BlockingWrite();
    BlockingWrite(const BlockingWrite&) = delete;
    BlockingWrite& operator=(const BlockingWrite&) = delete;

private:
    const Target& target_;
    Pending::Interval interval_;
    std::unique_lock<std::mutex> lock_;
};

// As finish_locally() for every target with something unfinished, or for those of one process.
void finish_all_locally();
void finish_all_locally(int process);

// Returns when my operations on `process`, or on everybody, are complete at the target.
void fence(int process);
void fence_all();

// Completes what is pending in a window that goes away.
void forget(Window& window);

// Completes my accumulates on a process of my node before I load from or store to its memory.
void settle_node(int process);

// Whether something that I wrote may not be complete at its target.
bool writes_are_pending();
// Targets with something pending, for tests and statistics.
std::size_t dirty_targets();

} // namespace armci::gmr::completion
