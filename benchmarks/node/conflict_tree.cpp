// The conflict tree of vector calls: time to check N disjoint segments in random and in ascending order,
// against a comparison of all pairs.
#include "iov/conflict_tree.hpp"
#include "measure/rows.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr std::uint64_t segment = 16;

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
        print_row("check/in_order", count, in_order, "ms");
        print_row("check/random", count, shuffled, "ms");
        if (n <= 100'000)
            print_row("check/all_pairs", count,
                      median_ms(n < 100'000 ? 5 : 1, [&] { right = disjoint_by_pairs(starts) && right; }),
                      "ms");
    }
    if (!right)
        std::printf("a conflict was found where there is none\n");
    return right ? 0 : 1;
}
