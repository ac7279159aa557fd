// Handles of nonblocking operations, in the two ints that the caller keeps.
//
// | state        | target        | aggregate | meaning |
// |--------------|---------------|-----------|-----------------------------------------------------------------------|
// | idle         | no_slot       | 0 or 1    | nothing pending; what load/store served was complete at once |
// | in flight    | slot number   | 0 or 1    | the slot holds MPI requests, or small transfers that wait to
// be joined |
//
// Wait and Test free the slot when all is complete, and leave the handle idle. An aggregate handle queues
// small transfers to one target and issues them as one MPI operation of many blocks, when the queue is full
// or anybody waits or fences. At most `most_requests` requests are outstanding per handle: the oldest
// completes first. Callable from any thread; one handle is used by one thread at a time.
#pragma once

#include "armci/base/diagnostics.hpp"
#include "armci/include/armci.h"
#include "gmr/rma.hpp"
#include "gmr/target.hpp"
#include "gmr/window.hpp"

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

// The requests of a handle, or of all gets without one (null), to append to; then bound() them.
rma::Requests& requests(armci_hdl_t* handle);
void bound(armci_hdl_t* handle);
// That many of them are gets.
void note_gets(armci_hdl_t* handle, int count);
// Returns when all gets without a handle are complete.
void wait_implicit();

// Keeps sources that MPI may still read until the handle's requests are complete.
void lend(armci_hdl_t& handle, Buffers buffers);

// Takes a transfer into the queue of an aggregate handle; false when it should be issued by itself.
enum class Direction { put, get };
bool queue(armci_hdl_t& handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes);

// Issues what is queued, for one process or for all.
inline constexpr int all_processes = -1;
void issue_queued(int process);

} // namespace armci::gmr::handle
