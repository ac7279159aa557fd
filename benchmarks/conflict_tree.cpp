// The conflict tree of vector calls: time to check N disjoint segments in random and in ascending order,
// against a comparison of all pairs. N log N shows as a last column that grows slowly, by what caches cost.
#include "iov/conflict_tree.hpp"
#include "rows.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr std::uint64_t segment = 16;
constexpr double promised_ms = 30; // for 100,000 segments

// Milliseconds, the median of several runs.
template <class Work>
double median_ms(int runs, Work work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[static_cast<std::size_t>(runs / 2)];
}

bool disjoint_by_tree(const std::vector<std::uint64_t>& starts)
{
    armci::iov::ConflictTree tree(starts.size());
    return std::all_of(starts.begin(), starts.end(),
                       [&](std::uint64_t start) { return tree.add(start, start + segment); });
}

bool disjoint_by_pairs(const std::vector<std::uint64_t>& starts)
{
    for (std::size_t i = 0; i < starts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (starts[i] < starts[j] + segment && starts[j] < starts[i] + segment)
                return false;
    return true;
}

} // namespace

int main()
{
    std::printf("%9s  %12s %12s %12s  %18s\n", "segments", "in order ms", "random ms", "all pairs ms",
                "random ns/(N lg N)");
    std::mt19937_64 random(1);
    bool right = true;
    for (std::size_t n = 100; n <= 1'000'000; n *= 10) {
        std::vector<std::uint64_t> starts(n);
        for (std::size_t i = 0; i < n; ++i)
            starts[i] = 2 * segment * i;
        const int runs = n > 100'000 ? 3 : 21;
        const double in_order = median_ms(runs, [&] { right = disjoint_by_tree(starts) && right; });
        std::shuffle(starts.begin(), starts.end(), random);
        const double shuffled = median_ms(runs, [&] { right = disjoint_by_tree(starts) && right; });
        const double count = static_cast<double>(n);
        print_row_if_asked("check/in_order", count, in_order, "ms");
        print_row_if_asked("check/random", count, shuffled, "ms");
        char pairs[32] = "-";
        if (n <= 100'000) {
            const double by_pairs =
                median_ms(n < 100'000 ? 5 : 1, [&] { right = disjoint_by_pairs(starts) && right; });
            std::snprintf(pairs, sizeof pairs, "%.3f", by_pairs);
            print_row_if_asked("check/all_pairs", count, by_pairs, "ms");
        }
        std::printf("%9zu  %12.3f %12.3f %12s  %18.2f%s\n", n, in_order, shuffled, pairs,
                    1e6 * shuffled / (count * std::log2(count)),
                    n == 100'000 ? (shuffled < promised_ms ? "   promise: < 30 ms" : "   over 30 ms") : "");
    }
    if (!right)
        std::printf("a conflict was found where there is none\n");
    return right ? 0 : 1;
}
