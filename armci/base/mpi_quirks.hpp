// MPI quirks: what MPI libraries get wrong, and what this library does about it. All workarounds live here,
// each with library, version and upstream issue.
#pragma once

#include "armci/base/settings.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace armci::quirks {

// The window flavour to use in place of one that this MPI library gets wrong; `complain` warns.
WindowFlavour usable(WindowFlavour wanted, bool complain);

// The method for strided calls to use in place of one that this MPI library gets wrong; `complain` warns.
StridedMethod usable(StridedMethod wanted, bool complain);

// The method for vector calls to use in place of one that this MPI library gets wrong; `complain` warns.
IovMethod usable(IovMethod wanted, bool complain);

// So many windows at a time leave enough of this MPI's communicators to the program.
int most_windows();

// The ordering to use in place of one that this MPI library does not keep; `complain` warns.
Ordering usable(Ordering wanted, bool complain);

// Up to this size, this MPI keeps a put in order with earlier puts and later gets of its origin and target,
// though the standard does not ask for it.
std::uint64_t ordered_put_bytes();

// Longer accumulates go faster in pieces of this size; `alone`, as a blocking one is, in smaller ones, which
// are under way together.
std::uint64_t piece_bytes(bool alone);

// Whether puts of this size, one after the other, go faster as accumulates that replace.
bool puts_had_better_replace(std::uint64_t bytes);

// Up to this size, a blocking get, and a blocking accumulate, is faster by a request than by a flush.
std::uint64_t get_request_bytes();
std::uint64_t accumulate_request_bytes();

// Whether a fetch-and-op is faster by a request than by a flush, and right.
bool fetches_by_request();

// Whether one-sided operations may use types with holes. Never their request-based forms: MPICH completes the
// request before the data is read or there (mpich 7898, docs/mpi-facts.md).
bool one_sided_derived_types();

// Bytes of accumulates under way to one target beyond which they had better complete first.
std::uint64_t most_accumulated_bytes();

// The most blocks that one accumulate may have.
std::size_t most_accumulated_blocks();

// Whether MPI_Win_flush_local may wait for ever; MPI_Win_flush_local_all takes its place.
bool flush_local_hangs();

// Whether a flush of each of several targets waits for one answer after the other, and MPI_Win_flush_all for
// all at once.
bool flushes_take_turns();

// Whether what lies unsent goes to its target in one message with the question of a flush: a write that is
// fenced at once had better not be sent before.
bool flushes_take_data_along();

// Whether an accumulate that is complete here is complete at its target, so that a flush costs what a local
// flush does.
bool accumulates_are_acknowledged();

// Lets malloc keep what MPI's buffers for large messages free, instead of returning it to the kernel and
// faulting it in again for the next message.
void keep_freed_memory();

// Ends the job with MPI's text and, where the cause is known, with the cure.
[[noreturn]] void explain_window_failure(const char* call, int code);

} // namespace armci::quirks
