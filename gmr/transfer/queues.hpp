// Queues: small transfers to one target that wait to be one MPI operation (gmr/transfer/joined.hpp), where
// this MPI does that well:
//
// - those of an aggregate handle, until the queue is full or anybody waits or fences. Gets among them
//   complete by one flush when their handle is waited for, there are `most_requests`, or a write meets them;
//   for a test or a fence each has a request;
// - others that begin while earlier ones are in flight, as in a stream of puts. The first starts at once:
//   a lone transfer is never held back. The rest starts when there is enough of it, when one of them is
//   waited for or tested, or when any call over the network blocks. Their handles share a slot.
//
// Callable from any thread.
#pragma once

#include "armci/include/armci.h"
#include "gmr/memory/target.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/transfer/joined.hpp"
#include "gmr/transfer/slots.hpp"

#include <cstdint>

namespace armci::gmr::queues {

// Takes a transfer into a queue, of its handle or of a stream; false when it should be issued by itself.
bool take(armci_hdl_t* handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes);

// Before an operation on [target, target + extent): issues what it must not overtake, and all streams when it
// blocks.
void issue_before(const Target& target, std::uint64_t extent, Access access, bool blocking);

// Issues what is queued, for one process or for all.
void issue_queued(int process);

// Issues what the slot has queued.
void issue_one(slots::Slot& slot);

// Whether a slot has gets of an aggregate handle that need no requests where somebody waits: one flush brings
// them all, and is slower for one.
bool flush_brings(const slots::Slot& slot);
// Starts them; finish_locally() of the target that it returns ends them.
Target start_gets(slots::Slot& slot);

} // namespace armci::gmr::queues
