// Histogram of durations: eight buckets for each power of two, so that a quantile is right within a
// sixteenth. Callable from any thread; what one reads while others add is some state of between.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace armci::observe {

class Histogram {
public:
    static constexpr int steps_shift = 3;
    static constexpr std::size_t steps = std::size_t{1} << steps_shift;
    static constexpr int longest_shift =
        43; // nanoseconds: two and a half hours; the last bucket has the rest
    static constexpr std::size_t buckets = (longest_shift - steps_shift + 2) * steps;
    using Counts = std::array<std::uint64_t, buckets>;

    // Buckets 0 to 7 hold one value each; those of [2^e, 2^(e+1)) begin at 8 (e - 2).
    static constexpr std::size_t bucket_of(std::uint64_t value)
    {
        if (value < steps)
            return static_cast<std::size_t>(value);
        const int exponent = static_cast<int>(std::bit_width(value)) - 1;
        const auto step = static_cast<std::size_t>(value >> (exponent - steps_shift)) - steps;
        return std::min(static_cast<std::size_t>(exponent - steps_shift + 1) * steps + step, buckets - 1);
    }
    static constexpr std::uint64_t least_of(std::size_t bucket)
    {
        if (bucket < steps)
            return bucket;
        const std::size_t octave = bucket / steps - 1;
        return std::uint64_t{steps + bucket % steps} << octave;
    }
    static constexpr std::uint64_t middle_of(std::size_t bucket)
    {
        return bucket < steps ? bucket : least_of(bucket) + ((std::uint64_t{1} << (bucket / steps - 1)) >> 1);
    }

    void add(std::uint64_t value) { counts_[bucket_of(value)].fetch_add(1, std::memory_order_relaxed); }
    void clear()
    {
        for (auto& count : counts_)
            count.store(0, std::memory_order_relaxed);
    }
    std::uint64_t count(std::size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }

    // The value below or at which a share of the counted lies; 0 where nothing is counted.
    static std::uint64_t quantile(std::span<const std::uint64_t> counts, double share)
    {
        std::uint64_t all = 0;
        for (const std::uint64_t count : counts)
            all += count;
        const double wanted = share * static_cast<double>(all);
        std::uint64_t seen = 0;
        for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
            seen += counts[bucket];
            if (seen > 0 && static_cast<double>(seen) >= wanted)
                return middle_of(bucket);
        }
        return 0;
    }

private:
    std::array<std::atomic<std::uint64_t>, buckets> counts_{};
};

} // namespace armci::observe
