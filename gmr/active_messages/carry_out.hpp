// Carry out: what a server does for a message, in the memory of its node.
//
// Ordering: sums take the locks of all accumulates by CPUs (gmr/node/accumulate.hpp). A fetch is one atomic
// operation on the word, sequentially consistent.
#pragma once

#include "gmr/active_messages/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace armci::gmr::active_messages {

// False where the message is not of the form of wire.hpp. `old` is for a fetch.
bool carry_out(Kind kind, std::span<const std::byte> message, std::uint64_t& old);

// For a word of this process's node, by whoever wants it.
std::uint64_t carry_out(const Fetch& fetch);

} // namespace armci::gmr::active_messages
