// Spread: a number's slot in a table of a power of two.
//
// Ranks, addresses and offsets come at equal distances, often powers of two. Two multiplications with a shift
// between them put them on slots as chance would; one multiplication does not, as each constant has distances
// that it puts on a few slots (tests/unit/spread_test.cpp counts).
#pragma once

#include <cstdint>

namespace armci {

// Returns a slot below 2^bits; bits is 1 to 63.
constexpr std::uint64_t spread(std::uint64_t number, int bits)
{
    std::uint64_t mixed = number * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29;
    mixed *= 0xbf58476d1ce4e5b9U;
    return mixed >> (64 - bits);
}

// Returns a slot below 2^bits. The numbers of a run of 2^bits, aligned to that, have one slot each, in order;
// the runs begin at slots that are spread.
constexpr std::uint64_t spread_runs(std::uint64_t number, int bits)
{
    return (number + spread(number >> bits, bits)) & ((std::uint64_t{1} << bits) - 1);
}

} // namespace armci
