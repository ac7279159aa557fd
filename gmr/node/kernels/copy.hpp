// Copy kernels of the node path. Source and destination may overlap: the result is that of a copy through a
// buffer.
#pragma once

#include "gmr/node/kernels/instruction_set.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace armci::gmr::kernels {

// Copies of so many bytes and more go by libc (portable) or by our own loops with an instruction set.
inline constexpr std::size_t long_copy_bytes = 2048;
using LongCopy = void (*)(std::byte* to, const std::byte* from, std::size_t n);
LongCopy long_copy_of(InstructionSet set);

// glibc takes `rep movsb` for most of them, which loses up to half of its speed at some distances between
// source and target, and collapses on AMD (glibc bug 30994). A loop with AVX-512 is as fast as `rep movsb` at
// its best, at all distances; one with AVX2 is slower on Intel, where libc stays.
InstructionSet best_for_long_copies();

namespace detail {

extern LongCopy long_copy; // set by use()

// Sixteen bytes in one register; a struct of words would go through the stack.
using Bytes16 = unsigned char __attribute__((vector_size(16)));

template <class Piece>
inline Piece load(const std::byte* from)
{
    Piece piece;
    std::memcpy(&piece, from, sizeof piece);
    return piece;
}

template <class Piece>
inline void store(std::byte* to, Piece piece)
{
    std::memcpy(to, &piece, sizeof piece);
}

// Copies n bytes, sizeof(Piece) <= n <= 2 * sizeof(Piece), as two pieces that may overlap. Both are loaded
// before one is stored. An aligned piece of 8 bytes or less is one store, so nobody sees half of it.
template <class Piece>
inline void two_pieces(std::byte* to, const std::byte* from, std::size_t n)
{
    const std::size_t tail_at = n - sizeof(Piece);
    const auto head = load<Piece>(from);
    const auto tail = load<Piece>(from + tail_at);
    store(to, head);
    store(to + tail_at, tail);
}

// The same for 32 <= n <= 64.
inline void four_pieces(std::byte* to, const std::byte* from, std::size_t n)
{
    const auto a = load<Bytes16>(from);
    const auto b = load<Bytes16>(from + 16);
    const auto c = load<Bytes16>(from + n - 32);
    const auto d = load<Bytes16>(from + n - 16);
    store(to, a);
    store(to + 16, b);
    store(to + n - 32, c);
    store(to + n - 16, d);
}

// The same for 64 <= n <= 128.
inline void eight_pieces(std::byte* to, const std::byte* from, std::size_t n)
{
    const std::byte* const end = from + n;
    const auto a = load<Bytes16>(from);
    const auto b = load<Bytes16>(from + 16);
    const auto c = load<Bytes16>(from + 32);
    const auto d = load<Bytes16>(from + 48);
    const auto e = load<Bytes16>(end - 64);
    const auto f = load<Bytes16>(end - 48);
    const auto g = load<Bytes16>(end - 32);
    const auto h = load<Bytes16>(end - 16);
    std::byte* const to_end = to + n;
    store(to, a);
    store(to + 16, b);
    store(to + 32, c);
    store(to + 48, d);
    store(to_end - 64, e);
    store(to_end - 48, f);
    store(to_end - 32, g);
    store(to_end - 16, h);
}

} // namespace detail

inline void copy(void* to, const void* from, std::size_t n)
{
    auto* const target = static_cast<std::byte*>(to);
    const auto* const origin = static_cast<const std::byte*>(from);
    if (n > 128) {
        if (n < long_copy_bytes)
            std::memmove(target, origin, n);
        else
            detail::long_copy(target, origin, n);
    } else if (n > 64) {
        detail::eight_pieces(target, origin, n);
    } else if (n > 32) {
        detail::four_pieces(target, origin, n);
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

// The same for a size known when compiling.
template <std::size_t Bytes>
inline void copy_fixed(std::byte* to, const std::byte* from)
{
    static_assert(Bytes == 8 || Bytes == 16 || Bytes == 32 || Bytes == 64);
    if constexpr (Bytes == 8)
        detail::store(to, detail::load<std::uint64_t>(from));
    else if constexpr (Bytes == 16)
        detail::store(to, detail::load<detail::Bytes16>(from));
    else if constexpr (Bytes == 32)
        detail::two_pieces<detail::Bytes16>(to, from, 32);
    else
        detail::four_pieces(to, from, 64);
}

} // namespace armci::gmr::kernels
