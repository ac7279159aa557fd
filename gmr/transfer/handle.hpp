// Handles of nonblocking operations, in the two ints that the caller keeps.
//
// | state        | target        | aggregate | meaning |
// |--------------|---------------|-----------|---------|
// | idle         | no_slot       | 0 or 1    | nothing pending; what load/store served was complete at once |
// | in flight    | slot number   | 0 or 1    | the slot holds requests, targets to flush, or a queue |
//
// Wait and Test free the slot (gmr/transfer/slots.hpp) when all is complete, and leave the handle idle. Small
// transfers are joined (gmr/transfer/queues.hpp).
//
// Gets of many blocks in one MPI operation have no request that tells of them (docs/mpi-facts.md), and many
// gets of a handle cost less without: waiting flushes their target. A test must not wait, so it asks the
// target for one byte by a request, which comes after them where messages keep their order; when that is
// there, what the flush still waits for is little.
//
// Some `most_requests` requests are outstanding per handle at most: the oldest complete first; and some
// `most_landing` bytes to be unpacked. Callable from any thread; one handle is used by one thread at a time.
#pragma once

#include "armci/include/armci.h"
#include "gmr/memory/target.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/network/staging.hpp"
#include "gmr/transfer/slots.hpp"
#include "gmr/transfer/span.hpp"

namespace armci::gmr::handle {

inline void initialise(armci_hdl_t& handle)
{
    handle = {slots::no_slot, 0};
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

// Takes over gets from `target`, which its next flush completes, and what they land in.
void take_gets(armci_hdl_t& handle, const Target& target, Landings landings);

// Takes over a get among my active messages.
void take_message(armci_hdl_t& handle, slots::Message get);

} // namespace armci::gmr::handle
