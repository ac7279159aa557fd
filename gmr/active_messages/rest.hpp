// The rest of what came over a connection: the beginning of a message that is not whole.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace armci::gmr::active_messages {

// Memory that a rest keeps whatever it holds.
inline constexpr std::size_t most_kept_of_rest = 512;

// Puts `bytes` in place of the rest. A connection had long messages once, and has no memory of them for ever:
// there is one for each process that ever asked.
inline void keep(std::vector<std::byte>& rest, std::span<const std::byte> bytes)
{
    if (rest.capacity() > most_kept_of_rest && rest.capacity() / 4 > bytes.size())
        rest = std::vector<std::byte>(bytes.begin(), bytes.end());
    else
        rest.assign(bytes.begin(), bytes.end());
}

} // namespace armci::gmr::active_messages
