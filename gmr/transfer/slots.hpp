// Slots: what MPI owes to handles, and what waits to be issued for them. A slot belongs to the handles that
// name it, and to the stream that it is (gmr/transfer/queues.hpp). Callable from any thread.
#pragma once

#include "armci/include/armci.h"
#include "gmr/memory/target.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/network/staging.hpp"
#include "gmr/network/window.hpp"
#include "gmr/transfer/joined.hpp"
#include "gmr/transfer/span.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace armci::gmr::slots {

inline constexpr int no_slot = -1;
inline constexpr std::size_t most_requests = 64; // of a slot; of all: traits::Traits::most_requests
inline constexpr std::uint64_t most_landing = 16 << 20;

// A get (gmr/active_messages/).
struct Message {
    int process;
    std::uint64_t number;
};

struct Slot {
    int users = 0; // handles that name it
    rma::Requests requests;
    int gets = 0; // of the requests, counted as in flight
    Buffers sources;
    Landings landings;             // of the requests
    std::vector<Target> flushes;   // of gets without requests, each window and rank once
    std::vector<Message> messages; // gets among my active messages, the last for each process
    bool asked = false;            // a request to each of them is among `requests`
    std::byte answer{};
    Joined queued;
    bool streams = false; // it is a stream
    bool gathers = false; // its aggregate handle has something queued
};

// The lock of the slots and of the queues, which queues::issue_queued() reaches from any thread.
std::recursive_mutex& guard();

// With the guard held:
std::deque<Slot>& all(); // they stay where they are, and keep their vectors' room for the next handle
Slot& at(int index);
bool are_named(); // some have users
int take_free();
void give_back(int index);

void name(armci_hdl_t& handle, int index);
void count_gets(Slot& slot, int count);
void keep(Slot& slot, Landings landings);
void ask(Slot& slot);       // for one byte, by a request, from each target that a test would have to flush
void bound_sum(Slot& slot); // where all slots have too many requests: waits for those of this one
void bound(Slot& slot);     // where there is too much: waits for the slot's oldest requests, or for all of it

// With or without it:
Slot* of(const armci_hdl_t& handle); // nullptr where nothing is pending
Slot& open(armci_hdl_t& handle);
void close(armci_hdl_t& handle);
void finish(Slot& slot); // waits for all

// The number of the last landing that was taken over, or 0 where none waits to be unpacked.
std::uint64_t landings_begun();
// Unpacks those up to `last` from a process, or from all, which are there; other threads may have begun more.
void land(int process, std::uint64_t last);

// No flush of a window that goes away, or of any, as everything is complete there. To be called by whoever
// ends a window that regions lie in.
void forget(const Window& window);
void forget_all();

} // namespace armci::gmr::slots
