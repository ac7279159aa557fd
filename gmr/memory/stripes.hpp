// Stripes: which accumulate lock of a node covers a block of memory.
#pragma once

#include "armci/base/spread.hpp"
#include "armci/base/wait.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace armci::gmr {

// A lock by itself on its cache line.
struct alignas(64) Stripe {
    wait::Word word;
};

class Stripes {
public:
    // Stripes of a node of so many processes. Processes that add to blocks of their own meet others on a
    // stripe by chance: 64 stripes for each process let at most one in 64 meet another.
    static constexpr std::size_t count_for(std::size_t processes)
    {
        return std::max(least, std::bit_ceil(processes * for_each_process));
    }

    Stripes() = default;
    // Over `count` of them, a power of two above 1.
    Stripes(Stripe* first, std::size_t count) : first_(first), bits_(std::countr_zero(count)) {}

    // A walk over memory takes neighbouring stripes, which the CPU prefetches.
    static constexpr std::size_t index_of(std::uint64_t block, int bits) { return spread_runs(block, bits); }
    wait::Word& of(std::uint64_t block) const { return first_[index_of(block, bits_)].word; }

private:
    static constexpr std::size_t least = 1024;
    static constexpr std::size_t for_each_process = 64;

    Stripe* first_ = nullptr;
    int bits_ = 1;
};

} // namespace armci::gmr
