#include "armci/base/observe/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace armci_test {
namespace {

using armci::observe::Histogram;

TEST(Histogram, buckets_cover_all_values_in_order)
{
    EXPECT_EQ(Histogram::least_of(0), 0u);
    for (std::size_t bucket = 0; bucket < Histogram::buckets; ++bucket) {
        const std::uint64_t least = Histogram::least_of(bucket);
        EXPECT_EQ(Histogram::bucket_of(least), bucket);
        EXPECT_EQ(Histogram::bucket_of(Histogram::middle_of(bucket)), bucket);
        if (bucket > 0) {
            EXPECT_LT(Histogram::least_of(bucket - 1), least);
            EXPECT_EQ(Histogram::bucket_of(least - 1), bucket - 1);
        }
    }
    EXPECT_EQ(Histogram::bucket_of(UINT64_MAX), Histogram::buckets - 1);
}

TEST(Histogram, bucket_is_an_eighth_of_its_value_at_most)
{
    for (std::size_t bucket = 8; bucket + 1 < Histogram::buckets; ++bucket)
        EXPECT_LE((Histogram::least_of(bucket + 1) - Histogram::least_of(bucket)) * 8,
                  Histogram::least_of(bucket));
}

std::vector<std::uint64_t> counts_of(const Histogram& histogram)
{
    std::vector<std::uint64_t> counts;
    for (std::size_t bucket = 0; bucket < Histogram::buckets; ++bucket)
        counts.push_back(histogram.count(bucket));
    return counts;
}

TEST(Histogram, quantiles_are_near_those_of_the_values)
{
    std::mt19937_64 random(7);
    for (const std::size_t n : {1u, 2u, 3u, 10u, 1000u}) {
        Histogram histogram;
        std::vector<std::uint64_t> values;
        for (std::size_t i = 0; i < n; ++i) {
            values.push_back(random() >> (24 + random() % 40));
            histogram.add(values.back());
        }
        std::sort(values.begin(), values.end());
        const auto counts = counts_of(histogram);
        for (const double share : {0.0, 0.5, 0.9, 0.99, 1.0}) {
            const double place = share * static_cast<double>(n);
            const auto rank = static_cast<std::size_t>(std::max(0.0, std::ceil(place) - 1));
            const auto wanted = static_cast<double>(values[rank]);
            const auto found = static_cast<double>(Histogram::quantile(counts, share));
            EXPECT_NEAR(found, wanted, wanted / 16 + 0.5) << share << " of " << n;
        }
    }
}

TEST(Histogram, nothing_counted_is_zero)
{
    EXPECT_EQ(Histogram::quantile(counts_of(Histogram()), 0.5), 0u);
}

} // namespace
} // namespace armci_test
