// Handles of nonblocking operations, in the two ints that the caller keeps.
//
// | state        | target        | aggregate | meaning |
// |--------------|---------------|-----------|---------|
// | idle         | no_slot       | 0 or 1    | nothing pending; what load/store served was complete at once |
// | in flight    | slot number   | 0 or 1    | the slot holds MPI requests, or small transfers to be joined |
//
// Wait and Test free the slot when all is complete, and leave the handle idle. An aggregate handle queues
// small transfers to one target and issues them as one MPI operation of many blocks, when the queue is full
// or anybody waits or fences, where this MPI does that well (rma::joins_puts). Some `most_requests` requests
// are outstanding per handle at most: the oldest complete first. Callable from any thread; one handle is used
// by one thread at a time.
#pragma once

#include "armci/base/diagnostics.hpp"
#include "armci/include/armci.h"
#include "gmr/rma.hpp"
#include "gmr/staging.hpp"
#include "gmr/target.hpp"

#include <cstdint>

namespace armci::gmr::handle {

inline constexpr int no_slot = -1;
inline constexpr std::size_t most_requests = 64; // Open MPI's osc/ucx aborts at 255

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

// Takes over requests that complete the handle, all of gets or none, and the sources that MPI may still read
// until then.
void take(armci_hdl_t& handle, rma::Requests& requests, bool gets, Buffers& sources);

// Takes a transfer into the queue of an aggregate handle; false when it should be issued by itself.
enum class Direction { put, get };
bool queue(armci_hdl_t& handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes);

// Issues what is queued, for one process or for all.
inline constexpr int all_processes = -1;
void issue_queued(int process);

} // namespace armci::gmr::handle
