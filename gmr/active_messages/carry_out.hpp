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

// Carries out a message. Returns false where it is malformed (wire.hpp). Sets `old` for a fetch.
bool carry_out(Kind kind, std::span<const std::byte> message, std::uint64_t& old);

// Changes a word of this process's node and returns its old value.
std::uint64_t carry_out(const Fetch& fetch);

} // namespace armci::gmr::active_messages
