// Random shapes of transfers inside of a block.
#pragma once

#include "tests/oracle/program.hpp"

#include <numeric>
#include <random>
#include <span>

namespace oracle {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(mix(seed)) {}
    long below(long limit)
    {
        return limit <= 1 ? 0 : static_cast<long>(engine_() % static_cast<std::uint64_t>(limit));
    }
    long between(long low, long high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }
    // More often small.
    long small(long limit) { return below(below(limit) + 1); }
    // An index, each as often as its weight says.
    std::size_t weighted(std::span<const int> weights)
    {
        long draw = below(std::accumulate(weights.begin(), weights.end(), 0l));
        std::size_t n = 0;
        for (; n + 1 < weights.size() && draw >= weights[n]; ++n)
            draw -= weights[n];
        return n;
    }
    std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    std::mt19937_64& engine() { return engine_; }

private:
    std::mt19937_64 engine_;
};

// Which shapes a program has.
struct Shapes {
    bool strided = true, vectors = true, negative = true, odd = true, empty = true, overlapping = true;
    int most_levels = 4;
};

// Makes `step` move elements of `unit` bytes of the block, in a random shape; its verb and type are set.
void shape(Step& step, const Step& block, long unit, const Shapes& shapes, Random& random);

} // namespace oracle
