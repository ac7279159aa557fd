// Completion: what issuers of operations say before and after, so that operations that meet in the same bytes
// keep their order (location consistency), and what they ask for at the end.
//
// A request that is complete is complete at the origin only, and MPI keeps accumulates in order alone
// (gmr/network/ordering.hpp). What MPI does not order, we do: each operation is noted as an interval of its
// target (the record: pending.hpp); one that meets a noted one that it must not overtake (the rule:
// access.hpp) flushes that target first (the act: flush.hpp), and all others flush nothing. Callable from any
// thread that may call MPI.
#pragma once

#include "gmr/memory/target.hpp"
#include "gmr/network/window.hpp"

#include <cstdint>
#include <mutex>

namespace armci::gmr::completion {

// Before operations on [target, target + extent): completes earlier writes that they must not overtake, and
// opens an access epoch where the window is not in one for life.
void begin(const Target& target, std::uint64_t extent, Access access);
// After issuing them: puts and accumulates are pending until the next flush of their target. Ends the epoch
// that begin() opened, which completes them.
void end(const Target& target, std::uint64_t extent, Access access);

// Returns when what I issued to the target is complete here: sources reusable, results in place. Between
// begin() and end(), or after both.
void finish_locally(const Target& target);
// The same at the end of a blocking write of this extent; complete at the target, too, where a fence is
// expected (gmr/network/fence_habit.hpp).
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
// Counts a get with a handle. Whether so many of this target have begun since anybody waited that a flush of
// all costs less than requests (gmr/network/get_habit.hpp). Never in a program that tests handles: a test
// must not wait, and of a request it need not.
bool gets_come_in_numbers(const Target& target);
// Somebody waits, or tests a handle.
void somebody_waits();
void handle_is_tested();
// Returns when gets that only a flush of the target completes are.
void finish_gets(const Target& target);
void gets_ended(int count);

// Held from before gets are noted until they are counted: in between, no other thread may take them for
// complete.
class IssuingGets {
public:
    explicit IssuingGets(bool gets) : count_(gets ? 1 : 0) { gets_began(count_); }
    ~IssuingGets() { gets_ended(count_); }
    IssuingGets(const IssuingGets&) = delete;
    IssuingGets& operator=(const IssuingGets&) = delete;

private:
    int count_;
};

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
    Interval interval_;
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
