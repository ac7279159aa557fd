#include "tests/rma/accumulate_types.hpp"
#include "tests/rma/region.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <memory>

namespace armci_test {
namespace {

// Address lists of a transfer; the C structs point into it.
class Segments {
public:
    void add(int bytes, std::vector<std::pair<void*, void*>> source_and_target)
    {
        auto& list = lists_.emplace_back(std::make_unique<List>());
        for (const auto& [source, target] : source_and_target) {
            list->source.push_back(source);
            list->target.push_back(target);
        }
        descriptors_.push_back(
            {list->source.data(), list->target.data(), bytes, static_cast<int>(list->source.size())});
    }
    armci_giov_t* data() { return descriptors_.data(); }
    int size() const { return static_cast<int>(descriptors_.size()); }

private:
    struct List {
        std::vector<void*> source, target;
    };
    std::vector<std::unique_ptr<List>> lists_;
    std::vector<armci_giov_t> descriptors_;
};

constexpr long part = 20'000; // of each origin in each slice

class Vector : public testing::Test {
protected:
    Region a{part * size()}, b{part * size()};
    const int target = neighbour();
    std::byte* const at_a = a.of(target, part* rank());
    std::byte* const at_b = b.of(target, part* rank());
    std::vector<std::byte> model_a = pattern_bytes(1, part), model_b = pattern_bytes(2, part);
    std::vector<std::byte> local = pattern_bytes(3, part);

    Vector()
    {
        store(model_a, at_a, target);
        store(model_b, at_b, target);
    }

    void expect_models()
    {
        ARMCI_Fence(target);
        EXPECT_TRUE(fetch(at_a, part, target) == model_a) << "first region";
        EXPECT_TRUE(fetch(at_b, part, target) == model_b) << "second region";
    }
};

TEST_F(Vector, put_of_several_descriptors_into_several_regions)
{
    Segments segments;
    segments.add(10, {{&local[0], at_a + 5}, {&local[100], at_b + 7}, {&local[50], at_a + 1000}});
    segments.add(1, {{&local[9], at_b}});
    segments.add(3000, {{&local[1000], at_a + 4001}, {&local[7], at_b + part - 3000}});
    ASSERT_EQ(0, ARMCI_PutV(segments.data(), segments.size(), target));
    std::copy_n(&local[0], 10, &model_a[5]);
    std::copy_n(&local[100], 10, &model_b[7]);
    std::copy_n(&local[50], 10, &model_a[1000]);
    model_b[0] = local[9];
    std::copy_n(&local[1000], 3000, &model_a[4001]);
    std::copy_n(&local[7], 3000, &model_b[part - 3000]);
    expect_models();
}

TEST_F(Vector, get_from_several_regions_with_segments_read_twice)
{
    auto wanted = local;
    Segments segments;
    segments.add(16,
                 {{at_a, &local[3]}, {at_b + 100, &local[500]}, {at_a, &local[40]}, {at_a + 8, &local[100]}});
    segments.add(2000, {{at_b + part - 2000, &local[6000]}});
    ASSERT_EQ(0, ARMCI_GetV(segments.data(), segments.size(), target));
    std::copy_n(&model_a[0], 16, &wanted[3]);
    std::copy_n(&model_b[100], 16, &wanted[500]);
    std::copy_n(&model_a[0], 16, &wanted[40]);
    std::copy_n(&model_a[8], 16, &wanted[100]);
    std::copy_n(&model_b[part - 2000], 2000, &wanted[6000]);
    EXPECT_TRUE(local == wanted);
    expect_models();
}

// Open MPI takes other bytes for blocks that lie one byte below one another (docs/mpi-facts.md).
TEST_F(Vector, segments_in_descending_order)
{
    int place = 0;
    for (int bytes = 1; bytes <= 4; ++bytes)
        for (int count = 2; count <= 6; ++count) {
            std::vector<std::pair<void*, void*>> put, got;
            std::vector<std::byte> wanted(64), result(64);
            place += 64;
            for (int i = 0; i < count; ++i) {
                const int below = (count - i) * bytes;
                put.emplace_back(&local[static_cast<std::size_t>(place + i * bytes)], at_a + place + below);
                std::copy_n(&local[static_cast<std::size_t>(place + i * bytes)], bytes,
                            &model_a[static_cast<std::size_t>(place + below)]);
                got.emplace_back(at_b + place + i * bytes, &result[static_cast<std::size_t>(below)]);
                std::copy_n(&model_b[static_cast<std::size_t>(place + i * bytes)], bytes,
                            &wanted[static_cast<std::size_t>(below)]);
            }
            Segments puts, gets;
            puts.add(bytes, put);
            gets.add(bytes, got);
            ASSERT_EQ(0, ARMCI_PutV(puts.data(), 1, target));
            ASSERT_EQ(0, ARMCI_GetV(gets.data(), 1, target));
            EXPECT_TRUE(result == wanted) << count << " segments of " << bytes << " bytes";
        }
    expect_models();
}

TEST_F(Vector, nothing_to_move_is_legal)
{
    Segments segments;
    segments.add(0, {{nullptr, nullptr}, {&local[0], at_a}});
    segments.add(8, {});
    armci_giov_t null_lists{nullptr, nullptr, 8, 0};
    int scale = 1;
    EXPECT_EQ(0, ARMCI_PutV(segments.data(), segments.size(), target));
    EXPECT_EQ(0, ARMCI_GetV(segments.data(), segments.size(), target));
    EXPECT_EQ(0, ARMCI_AccV(ARMCI_ACC_INT, &scale, segments.data(), segments.size(), target));
    EXPECT_EQ(0, ARMCI_PutV(&null_lists, 1, target));
    EXPECT_EQ(0, ARMCI_PutV(nullptr, 0, target));
    EXPECT_EQ(0, ARMCI_GetV(nullptr, 0, target));
    EXPECT_EQ(0, ARMCI_AccV(ARMCI_ACC_INT, &scale, nullptr, 0, target));
    expect_models();
    EXPECT_TRUE(local == pattern_bytes(3, part));
}

TEST_F(Vector, empty_descriptors_between_others_change_nothing)
{
    Segments segments;
    segments.add(4, {{&local[0], at_a}});
    segments.add(0, {{&local[50], at_a + 50}});
    segments.add(9, {});
    segments.add(5, {{&local[10], at_b + 10}});
    ASSERT_EQ(0, ARMCI_PutV(segments.data(), segments.size(), target));
    std::copy_n(&local[0], 4, &model_a[0]);
    std::copy_n(&local[10], 5, &model_b[10]);
    expect_models();
}

TEST_F(Vector, overlapping_segments_give_some_serial_order)
{
    const int start[] = {100, 104, 97}; // all three overlap
    Segments segments;
    segments.add(10, {{&local[0], at_a + start[0]}, {&local[20], at_a + start[1]}});
    segments.add(10, {{&local[40], at_a + start[2]}});
    ASSERT_EQ(0, ARMCI_PutV(segments.data(), segments.size(), target));
    ARMCI_Fence(target);
    const auto got = fetch(at_a, part, target);
    int order[] = {0, 1, 2};
    bool found = false;
    do {
        auto wanted = model_a;
        for (const int i : order)
            std::copy_n(&local[static_cast<std::size_t>(20 * i)], 10,
                        &wanted[static_cast<std::size_t>(start[i])]);
        found = found || wanted == got;
    } while (std::next_permutation(order, order + 3));
    EXPECT_TRUE(found);
}

TEST_F(Vector, random_segments_put_and_get)
{
    auto random = rank_generator(20);
    for (int round = 0; round < 60; ++round) {
        const bool put = round % 2 == 0;
        auto wanted = local;
        Segments segments;
        long next_a = 0, next_b = 0, next_local = 0; // so that none overlaps
        for (int d = 0; d < 4; ++d) {
            const int bytes = static_cast<int>(random() % (d == 3 ? 600 : 40));
            std::vector<std::pair<void*, void*>> pairs;
            for (std::uint64_t i = random() % 12; i > 0; --i) {
                const bool in_a = random() % 2 == 0;
                long& next = in_a ? next_a : next_b;
                std::byte* const remote = (in_a ? at_a : at_b) + next;
                auto& model = in_a ? model_a : model_b;
                if (next + bytes > part || next_local + bytes > part)
                    break;
                if (put) {
                    std::copy_n(&local[static_cast<std::size_t>(next_local)], bytes, model.begin() + next);
                    pairs.emplace_back(local.data() + next_local, remote);
                } else {
                    std::copy_n(model.begin() + next, bytes, wanted.begin() + next_local);
                    pairs.emplace_back(remote, local.data() + next_local);
                }
                next += bytes + static_cast<long>(random() % 9);
                next_local += bytes + static_cast<long>(random() % 9);
            }
            segments.add(bytes, pairs);
        }
        ASSERT_EQ(0, put ? ARMCI_PutV(segments.data(), segments.size(), target)
                         : ARMCI_GetV(segments.data(), segments.size(), target));
        ASSERT_TRUE(local == wanted) << "round " << round;
        expect_models();
        for (std::byte& byte : local)
            byte ^= std::byte{0x5b};
    }
}

TEST_F(Vector, ten_thousand_segments)
{
    std::vector<std::pair<void*, void*>> pairs;
    for (long i = 0; i < 10'000; ++i) {
        const long to = (i * 7919) % 10'000 * 2; // a permutation
        pairs.emplace_back(&local[static_cast<std::size_t>(i)], at_a + to);
        model_a[static_cast<std::size_t>(to)] = local[static_cast<std::size_t>(i)];
    }
    Segments segments;
    segments.add(1, pairs);
    ASSERT_EQ(0, ARMCI_PutV(segments.data(), segments.size(), target));
    expect_models();
}

// --- Accumulate
// -----------------------------------------------------------------------------------------------

template <class T>
class VectorAccumulate : public testing::Test {
};
TYPED_TEST_SUITE(VectorAccumulate, AccumulateTypes);

// Segments that meet in the target add up, in one call and over several regions.
TYPED_TEST(VectorAccumulate, sums_all_segments)
{
    using T = TypeParam;
    constexpr std::size_t n = 50;
    const long bytes = static_cast<long>(n * sizeof(T));
    Region a(bytes * size()), b(bytes * size());
    const int target = neighbour();
    T* const at_a = a.as<T>(target) + n * static_cast<std::size_t>(rank());
    T* const at_b = b.as<T>(target) + n * static_cast<std::size_t>(rank());
    for (T scale : {T(1), some_scale<T>()}) {
        std::vector<T> source(n), model_a(n), model_b(n);
        for (std::size_t i = 0; i < n; ++i) {
            source[i] = small_value<T>(i);
            model_a[i] = small_value<T>(i + 3);
            model_b[i] = small_value<T>(i + 4);
        }
        ASSERT_EQ(0, ARMCI_Put(model_a.data(), at_a, static_cast<int>(bytes), target));
        ASSERT_EQ(0, ARMCI_Put(model_b.data(), at_b, static_cast<int>(bytes), target));
        Segments segments;
        const auto add = [&](int count,
                             std::vector<std::array<std::size_t, 3>> list) { // {source, region, place}
            std::vector<std::pair<void*, void*>> pairs;
            for (const auto& [from, region, to] : list) {
                pairs.emplace_back(&source[from], (region == 0 ? at_a : at_b) + to);
                for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
                    (region == 0 ? model_a : model_b)[to + i] += scale * source[from + i];
            }
            segments.add(count * static_cast<int>(sizeof(T)), pairs);
        };
        add(1, {{0, 0, 0}, {1, 0, 0}, {2, 1, 49}});
        add(7, {{10, 0, 20}, {11, 0, 22}, {10, 1, 0}});
        add(0, {{0, 0, 0}});
        add(50, {{0, 1, 0}});
        ASSERT_EQ(0, ARMCI_AccV(accumulate_type<T>(), &scale, segments.data(), segments.size(), target));
        ARMCI_Fence(target);
        std::vector<T> got(n);
        ASSERT_EQ(0, ARMCI_Get(at_a, got.data(), static_cast<int>(bytes), target));
        EXPECT_EQ(got, model_a) << "scale " << scale;
        ASSERT_EQ(0, ARMCI_Get(at_b, got.data(), static_cast<int>(bytes), target));
        EXPECT_EQ(got, model_b) << "scale " << scale;
    }
}

} // namespace
} // namespace armci_test
