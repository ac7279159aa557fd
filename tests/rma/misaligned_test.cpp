// Accumulates to addresses that are no multiple of the element, by every form of the call, against a serial
// oracle; and by all ranks at once. A legacy program accumulates ints 35 bytes apart.
#include "tests/rma/accumulate_types.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"

#include <cstring>

namespace armci_test {
namespace {

constexpr long slice = 3 * 4096; // across blocks of locks

template <class T>
T read_at(const std::byte* address)
{
    T value;
    std::memcpy(&value, address, sizeof value);
    return value;
}

template <class T>
void write_at(std::byte* address, T value)
{
    std::memcpy(address, &value, sizeof value);
}

// What memory must hold: the same bytes, changed one element after the other.
template <class T>
class Model {
public:
    explicit Model(std::uint64_t salt) : bytes_(slice)
    {
        for (long at = 0; at + static_cast<long>(sizeof(T)) <= slice; at += static_cast<long>(sizeof(T)))
            write_at(&bytes_[static_cast<std::size_t>(at)],
                     small_value<T>(salt + static_cast<std::size_t>(at)));
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

    // Makes `count` elements from `offset` on small numbers, as others in a row off by a byte would be none.
    void start_at(long offset, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            write_at(at(offset, i), small_value<T>(i));
    }
    void add(long offset, const std::byte* source, std::size_t count, T scale)
    {
        for (std::size_t i = 0; i < count; ++i)
            write_at<T>(at(offset, i),
                        read_at<T>(at(offset, i)) + scale * read_at<T>(source + i * sizeof(T)));
    }

private:
    std::byte* at(long offset, std::size_t i)
    {
        return &bytes_[static_cast<std::size_t>(offset) + i * sizeof(T)];
    }
    std::vector<std::byte> bytes_;
};

template <class T>
std::vector<std::byte> terms(std::size_t count, std::size_t salt)
{
    std::vector<std::byte> source(count * sizeof(T) + 1); // read from its second byte on
    for (std::size_t i = 0; i < count; ++i)
        write_at(&source[1 + i * sizeof(T)], small_value<T>(i + salt));
    return source;
}

template <class T>
class Misaligned : public testing::Test {
};
TYPED_TEST_SUITE(Misaligned, AccumulateTypes);

// The neighbour's slice holds the model; nobody else writes it.
template <class T>
void expect_model(const Region& region, int target, const Model<T>& model, const char* what, long off,
                  T scale)
{
    EXPECT_TRUE(fetch(region.of(target), slice, target) == model.bytes())
        << what << " at " << off << ", scale " << scale;
}

TYPED_TEST(Misaligned, contiguous)
{
    using T = TypeParam;
    Region region(slice);
    const int target = neighbour();
    for (const long off : {1L, 2L, 3L, 5L, 4096L - 1, 4096L - 4, 4096L - 13})
        for (T scale : {T(1), some_scale<T>()})
            for (const std::size_t count : {std::size_t{1}, std::size_t{7}, 4096 / sizeof(T)}) {
                Model<T> model(static_cast<std::size_t>(off));
                model.start_at(off, count);
                store(model.bytes(), region.of(target), target);
                const auto source = terms<T>(count, 3);
                ASSERT_EQ(0, ARMCI_Acc(accumulate_type<T>(), &scale, const_cast<std::byte*>(&source[1]),
                                       region.of(target, off), static_cast<int>(count * sizeof(T)), target));
                model.add(off, &source[1], count, scale);
                armci_hdl_t handle;
                ARMCI_INIT_HANDLE(&handle);
                ASSERT_EQ(0, ARMCI_NbAcc(accumulate_type<T>(), &scale, const_cast<std::byte*>(&source[1]),
                                         region.of(target, off), static_cast<int>(count * sizeof(T)), target,
                                         &handle));
                ASSERT_EQ(0, ARMCI_Wait(&handle));
                model.add(off, &source[1], count, scale);
                expect_model(region, target, model, "contiguous", off, scale);
            }
}

// Two levels, of which one, the other or both misalign.
TYPED_TEST(Misaligned, strided)
{
    using T = TypeParam;
    constexpr int element = static_cast<int>(sizeof(T));
    Region region(slice);
    const int target = neighbour();
    for (const long off : {0L, 3L, 8L})
        for (const auto& [inner, outer] : {std::pair{35, 720}, {64, 333}, {2 * element + 1, 517}})
            for (T scale : {T(1), some_scale<T>()}) {
                int count[3] = {element, 4, 6};
                int target_stride[2] = {inner, outer};
                int source_stride[2] = {element, 4 * element};
                Model<T> model(static_cast<std::size_t>(off));
                for (int j = 0; j < count[2]; ++j)
                    for (int i = 0; i < count[1]; ++i)
                        model.start_at(off + j * outer + i * inner, 1);
                store(model.bytes(), region.of(target), target);
                const auto source = terms<T>(24, 5);
                ASSERT_EQ(0,
                          ARMCI_AccS(accumulate_type<T>(), &scale, const_cast<std::byte*>(&source[1]),
                                     source_stride, region.of(target, off), target_stride, count, 2, target));
                for (int j = 0; j < count[2]; ++j)
                    for (int i = 0; i < count[1]; ++i)
                        model.add(off + j * outer + i * inner,
                                  &source[1 + static_cast<std::size_t>(element * (4 * j + i))], 1, scale);
                expect_model(region, target, model, "strided", off, scale);
            }
}

// Segments that meet add up, as those of an aligned vector do.
TYPED_TEST(Misaligned, vector_with_segments_that_overlap)
{
    using T = TypeParam;
    constexpr std::size_t each = 3;
    Region region(slice);
    const int target = neighbour();
    T scale = some_scale<T>();
    Model<T> model(1);
    model.start_at(1, 4096 / sizeof(T));
    store(model.bytes(), region.of(target), target);
    const auto source = terms<T>(each * 40, 2);
    std::vector<void*> from, to;
    for (std::size_t i = 0; i < 40; ++i) {
        const long at = 1 + static_cast<long>((i * 7 % 32) * sizeof(T));
        from.push_back(const_cast<std::byte*>(&source[1 + i * each * sizeof(T)]));
        to.push_back(region.of(target, at));
        model.add(at, static_cast<std::byte*>(from.back()), each, scale);
    }
    armci_giov_t segments{from.data(), to.data(), static_cast<int>(each * sizeof(T)), 40};
    ASSERT_EQ(0, ARMCI_AccV(accumulate_type<T>(), &scale, &segments, 1, target));
    expect_model(region, target, model, "vector", 1, scale);
}

// My own earlier puts are added to, and my later gets see the sum.
TYPED_TEST(Misaligned, comes_behind_what_I_put_before)
{
    using T = TypeParam;
    Region region(slice);
    const int target = neighbour();
    T one = T(1);
    for (int round = 0; round < 20; ++round) {
        T value = small_value<T>(static_cast<std::size_t>(round)), got = T(0);
        std::byte* const at = region.of(target, 4096 - 3);
        ASSERT_EQ(0, ARMCI_Put(&value, at, sizeof value, target));
        ASSERT_EQ(0, ARMCI_Acc(accumulate_type<T>(), &one, &value, at, sizeof value, target));
        ASSERT_EQ(0, ARMCI_Get(at, &got, sizeof got, target));
        EXPECT_EQ(got, value + value);
    }
}

// Everybody adds to the same elements of everybody, the owner to its own too.
TYPED_TEST(Misaligned, no_sum_is_lost)
{
    using T = TypeParam;
    constexpr std::size_t n = 5;
    constexpr long first = 4096 - 2 * static_cast<long>(sizeof(T)) - 1; // across two blocks
    const int rounds = uses_windows() ? 10 : 300;
    Region region(slice);
    std::memset(region.mine(), 0, slice);
    ARMCI_Barrier();
    std::vector<T> source(n, T(static_cast<float>(rank() + 1)));
    T one = T(1);
    for (int round = 0; round < rounds; ++round)
        for (int distance = 0; distance < size(); ++distance) {
            const int target = neighbour(distance);
            ASSERT_EQ(0, ARMCI_Acc(accumulate_type<T>(), &one, source.data(), region.of(target, first),
                                   static_cast<int>(n * sizeof(T)), target));
        }
    ARMCI_Barrier();
    const T wanted = T(static_cast<float>(rounds * size() * (size() + 1) / 2));
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_EQ(read_at<T>(region.mine(first + static_cast<long>(i * sizeof(T)))), wanted)
            << "element " << i;
    ARMCI_Barrier();
}

} // namespace
} // namespace armci_test
