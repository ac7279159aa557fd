#include "tests/rma/region.hpp"
#include "tests/rma/strided_case.hpp"

#include <algorithm>

namespace armci_test {
namespace {

constexpr long middle = 20'000, area = 40'000;

// Packs a patch of local memory and spreads it again; compares with a serial program.
void check(const std::vector<int>& count, std::vector<int> stride)
{
    StridedCase c{count, stride, std::vector<int>(stride.size())}; // one side only
    auto memory = pattern_bytes(1, area);
    const auto packed_bytes = static_cast<std::size_t>(c.bytes());
    std::vector<std::byte> packed;
    c.each_segment([&](long from, long) {
        packed.insert(packed.end(), memory.begin() + middle + from,
                      memory.begin() + middle + from + count[0]);
    });
    ASSERT_EQ(packed.size(), packed_bytes);

    std::vector<std::byte> got(packed_bytes + 8, std::byte{0xee}), wanted = got;
    std::copy(packed.begin(), packed.end(), wanted.begin());
    auto writable_count = count;
    armci_write_strided(&memory[middle], c.levels(), stride.data(), writable_count.data(),
                        reinterpret_cast<char*>(got.data()));
    EXPECT_TRUE(got == wanted) << "write " << c.text();
    EXPECT_TRUE(memory == pattern_bytes(1, area)) << "write changed its source: " << c.text();

    auto data = pattern_bytes(2, packed_bytes);
    auto model = memory;
    auto next = data.begin();
    c.each_segment([&](long to, long) {
        std::copy_n(next, count[0], model.begin() + middle + to);
        next += count[0];
    });
    armci_read_strided(&memory[middle], c.levels(), stride.data(), writable_count.data(),
                       reinterpret_cast<char*>(data.data()));
    EXPECT_TRUE(memory == model) << "read " << c.text();
}

TEST(Pack, all_small_shapes)
{
    for (int levels = 0; levels <= 3; ++levels)
        each_extent(levels, 3, [&](const std::vector<int>& extent) {
            for (const Stride kind : all_strides)
                for (const int segment : {1, 8, 13}) {
                    std::vector<int> count{segment};
                    count.insert(count.end(), extent.begin(), extent.end());
                    check(count, make_strides(count, std::vector<Stride>(extent.size(), kind), 1));
                }
        });
}

TEST(Pack, random_shapes_of_up_to_seven_levels)
{
    auto random = rank_generator(30);
    for (int levels = 0; levels <= 7; ++levels)
        for (int i = 0; i < 10;) {
            const StridedCase c = random_case(random, levels, 1);
            const Span span = span_of(c.count, c.source);
            if (span.below > middle || span.above > area - middle)
                continue;
            check(c.count, c.source);
            ++i;
        }
}

TEST(Pack, nothing_is_nothing)
{
    int stride[] = {4}, count[] = {0, 3};
    armci_write_strided(nullptr, 1, stride, count, nullptr);
    armci_read_strided(nullptr, 1, stride, count, nullptr);
}

} // namespace
} // namespace armci_test
