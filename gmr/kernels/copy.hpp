// Copy kernel of the node path. Source and destination may overlap: the result is that of a copy through a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace armci::gmr::kernels {

namespace detail {

// Copies n bytes, sizeof(Piece) <= n <= 2 * sizeof(Piece), as two pieces that may overlap. Both are loaded before one
// is stored. An aligned piece of 8 bytes or less is one store, so nobody sees half of it.
template <class Piece> inline void two_pieces(std::byte* to, const std::byte* from, std::size_t n)
{
    Piece head;
    Piece tail;
    std::memcpy(&head, from, sizeof head);
    std::memcpy(&tail, from + n - sizeof tail, sizeof tail);
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + n - sizeof tail, &tail, sizeof tail);
}

struct Bytes16 {
    std::uint64_t part[2];
};
struct Bytes32 {
    std::uint64_t part[4];
};

} // namespace detail

inline void copy(void* to, const void* from, std::size_t n)
{
    auto* const target = static_cast<std::byte*>(to);
    const auto* const origin = static_cast<const std::byte*>(from);
    if (n > 64) {
        std::memmove(target, origin, n);
    } else if (n > 32) {
        detail::two_pieces<detail::Bytes32>(target, origin, n);
    } else if (n >= 16) {
        detail::two_pieces<detail::Bytes16>(target, origin, n);
    } else if (n >= 8) {
        detail::two_pieces<std::uint64_t>(target, origin, n);
    } else if (n >= 4) {
        detail::two_pieces<std::uint32_t>(target, origin, n);
    } else if (n >= 2) {
        detail::two_pieces<std::uint16_t>(target, origin, n);
    } else if (n == 1) {
        *target = *origin;
    }
}

} // namespace armci::gmr::kernels
