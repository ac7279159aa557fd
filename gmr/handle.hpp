// Handles of nonblocking operations, in the two ints that the caller keeps.
//
// | state        | target        | aggregate | meaning |
// |--------------|---------------|-----------|---------|
// | idle         | no_slot       | 0 or 1    | nothing pending; what load/store served was complete at once |
// | in flight    | slot number   | 0 or 1    | the slot holds requests, targets to flush, or a queue |
//
// Wait and Test free the slot when all is complete, and leave the handle idle. Small transfers to one target
// are joined into one MPI operation (gmr/joined.hpp), where this MPI does that well:
//
// - those of an aggregate handle, until the queue is full or anybody waits or fences. Gets among them
//   complete by one flush when their handle is waited for, there are `most_requests`, or a write meets them;
//   for a test or a fence each has a request;
// - others that begin while earlier ones are in flight, as in a stream of puts. The first starts at once:
//   a lone transfer is never held back. The rest starts when there is enough of it, when one of them is
//   waited for or tested, or when any call over the network blocks. Their handles share a slot.
//
// Gets of many blocks in one MPI operation have no request that tells of them (docs/mpi-facts.md), and many
// gets of a handle cost less without: waiting flushes their target. A test must not wait, so it asks the
// target for one byte by a request, which comes after them where messages keep their order; when that is
// there, what the flush still waits for is little.
//
// Some `most_requests` requests are outstanding per handle at most: the oldest complete first; and some
// `most_landing` bytes to be unpacked. Callable from any thread; one handle is used by one thread at a time.
#pragma once

#include "armci/base/diagnostics.hpp"
#include "armci/include/armci.h"
#include "gmr/joined.hpp"
#include "gmr/rma.hpp"
#include "gmr/span.hpp"
#include "gmr/staging.hpp"
#include "gmr/target.hpp"
#include "gmr/window.hpp"

#include <cstdint>

namespace armci::gmr::handle {

inline constexpr int no_slot = -1;
inline constexpr std::size_t most_requests = 64; // Open MPI's osc/ucx aborts at 255
inline constexpr std::uint64_t most_landing = 16 << 20;
inline constexpr int all_processes = -1;

inline void initialise(armci_hdl_t& handle)
{
    handle = {no_slot, 0};
}
void set_aggregate(armci_hdl_t& handle, bool aggregate);

// Reports a handle that cannot be waited for.
int check(const char* call, const armci_hdl_t* handle);

void wait(armci_hdl_t& handle);
// True when everything of the handle is complete; never blocks.
bool test(armci_hdl_t& handle);

// What MPI reads or writes until requests are complete.
struct Lent {
    Buffers sources;
    Landings landings; // unpacked then
};
// Takes over requests that complete the handle, all of gets or none.
void take(armci_hdl_t& handle, rma::Requests& requests, bool gets, Lent lent);

// The number of the last landing that was taken over, or 0 where none waits to be unpacked.
std::uint64_t landings_begun();
// Unpacks those up to `last` from a process, or from all, which are there; other threads may have begun more.
void land(int process, std::uint64_t last);

// Takes over gets from `target`, which its next flush completes, and what they land in.
void take_gets(armci_hdl_t& handle, const Target& target, Landings landings);
// No flush of a window that goes away, where everything is complete.
void forget(const Window& window);

// Takes a transfer into a queue, of its handle or of a stream; false when it should be issued by itself.
bool queue(armci_hdl_t* handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes);

// Before an operation on [target, target + extent): issues what it must not overtake, and all streams when it
// blocks.
void issue_before(const Target& target, std::uint64_t extent, Access access, bool blocking);

// Issues what is queued, for one process or for all.
void issue_queued(int process);

} // namespace armci::gmr::handle
