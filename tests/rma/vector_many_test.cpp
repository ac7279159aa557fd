// Vectors made to be hard: very many segments, in any order, that overlap, are empty, and lie in two regions.
// Every method over the network must leave what a serial execution leaves. ARMCI_IOV_METHOD chooses it.
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace armci_test {
namespace {

// Memory of a group of all: over the network it lies in another window than that of the world.
class GroupRegion {
public:
    explicit GroupRegion(long bytes) : bases_(static_cast<std::size_t>(size()))
    {
        std::vector<int> all(static_cast<std::size_t>(size()));
        std::iota(all.begin(), all.end(), 0);
        ARMCI_Group_create(size(), all.data(), &group_);
        EXPECT_EQ(0, ARMCI_Malloc_group(bases_.data(), bytes, &group_));
    }
    ~GroupRegion()
    {
        ARMCI_Barrier();
        EXPECT_EQ(0, ARMCI_Free_group(bases_[static_cast<std::size_t>(rank())], &group_));
        ARMCI_Group_free(&group_);
    }
    GroupRegion(const GroupRegion&) = delete;
    GroupRegion& operator=(const GroupRegion&) = delete;
    std::byte* of(int process) const
    {
        return static_cast<std::byte*>(bases_[static_cast<std::size_t>(process)]);
    }

private:
    ARMCI_Group group_;
    std::vector<void*> bases_;
};

// Descriptors of several sizes over one pair of address lists.
struct Lists {
    std::vector<void*> remote, local;
    std::vector<armci_giov_t> puts, gets;

    // `many` segments of each size; place(bytes) chooses an (address there, address here).
    template <class Place>
    Lists(const std::vector<int>& sizes, std::size_t many, Place place)
        : remote(sizes.size() * many), local(sizes.size() * many)
    {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            for (std::size_t j = i * many; j < (i + 1) * many; ++j)
                std::tie(remote[j], local[j]) = place(sizes[i]);
            puts.push_back({&local[i * many], &remote[i * many], sizes[i], static_cast<int>(many)});
            gets.push_back({&remote[i * many], &local[i * many], sizes[i], static_cast<int>(many)});
        }
    }
    template <class Visit>
    void each(Visit visit) const
    {
        for (const armci_giov_t& one : puts)
            for (int i = 0; i < one.ptr_array_len; ++i)
                visit(static_cast<std::byte*>(one.dst_ptr_array[i]),
                      static_cast<std::byte*>(one.src_ptr_array[i]), static_cast<std::size_t>(one.bytes));
    }
};

const std::vector<int> sizes{8, 0, 1, 24, 5, 120};
constexpr std::size_t space = 20'000; // of each region and of the buffer here

class ManySegments : public testing::Test {
protected:
    Region world{space};
    GroupRegion group{space};
    const int target = neighbour();
    std::vector<std::byte> here = pattern_bytes(static_cast<std::uint64_t>(rank()) + 1, space);
    std::vector<std::byte> world_model = pattern_bytes(100, space), group_model = pattern_bytes(200, space);
    std::mt19937_64 random = rank_generator();

    ManySegments()
    {
        store(world_model, world.of(target), target);
        store(group_model, group.of(target), target);
        ARMCI_Barrier();
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random() % bound); }

    // Segments anywhere in both regions, at any address here.
    auto anywhere()
    {
        return [this](int bytes) -> std::pair<void*, void*> {
            std::byte* const start = below(2) == 0 ? world.of(target) : group.of(target);
            const std::size_t room = space - static_cast<std::size_t>(bytes);
            return {start + below(room), &here[below(room)]};
        };
    }
    std::byte* in_model(const std::byte* there)
    {
        const std::byte* const start = world.of(target);
        return there >= start && there < start + space
                   ? &world_model[static_cast<std::size_t>(there - start)]
                   : &group_model[static_cast<std::size_t>(there - group.of(target))];
    }
    // Adds `scale` times what lies here; place(room) chooses an address that has more than `room` behind it.
    template <class Place>
    void add_ints(int scale, Place place)
    {
        Lists lists({8, 0, 4, 24, 120}, 400, [&](int bytes) -> std::pair<void*, void*> {
            const std::size_t room = space - static_cast<std::size_t>(bytes);
            return {place(room), &here[below(room)]};
        });
        ASSERT_EQ(0, ARMCI_AccV(ARMCI_ACC_INT, &scale, lists.puts.data(), static_cast<int>(lists.puts.size()),
                                target));
        lists.each([&](const std::byte* there, const std::byte* from, std::size_t bytes) {
            for (std::size_t i = 0; i < bytes; i += sizeof(int)) {
                unsigned sum = 0;
                unsigned added = 0;
                std::memcpy(&sum, in_model(there) + i, sizeof sum);
                std::memcpy(&added, from + i, sizeof added);
                sum += static_cast<unsigned>(scale) * added;
                std::memcpy(in_model(there) + i, &sum, sizeof sum);
            }
        });
        expect_models();
    }
    void expect_models()
    {
        ARMCI_Fence(target);
        EXPECT_TRUE(fetch(world.of(target), space, target) == world_model);
        EXPECT_TRUE(fetch(group.of(target), space, target) == group_model);
    }
};

TEST_F(ManySegments, puts_that_overlap_in_two_regions)
{
    Lists lists(sizes, 400, anywhere());
    ASSERT_EQ(0, ARMCI_PutV(lists.puts.data(), static_cast<int>(lists.puts.size()), target));
    lists.each([&](const std::byte* there, const std::byte* from, std::size_t bytes) {
        std::memcpy(in_model(there), from, bytes);
    });
    expect_models();
}

TEST_F(ManySegments, gets_whose_results_overlap)
{
    Lists lists(sizes, 400, anywhere());
    auto wanted = here;
    lists.each([&](const std::byte* there, const std::byte* to, std::size_t bytes) {
        std::memcpy(&wanted[static_cast<std::size_t>(to - here.data())], in_model(there), bytes);
    });
    ASSERT_EQ(0, ARMCI_GetV(lists.gets.data(), static_cast<int>(lists.gets.size()), target));
    EXPECT_TRUE(here == wanted);
}

TEST_F(ManySegments, accumulates_that_overlap_in_two_regions)
{
    add_ints(3, [this](std::size_t room) {
        return (below(2) == 0 ? world.of(target) : group.of(target)) +
               below(room) / sizeof(int) * sizeof(int);
    });
}

TEST_F(ManySegments, accumulates_that_overlap_in_one_region)
{
    const auto anywhere_in_one = [this](std::size_t room) {
        return world.of(target) + below(room) / sizeof(int) * sizeof(int);
    };
    add_ints(1, anywhere_in_one);
    add_ints(3, anywhere_in_one);
}

TEST_F(ManySegments, accumulates_again_and_again_to_the_same_places)
{
    for (const std::size_t places : {1, 7, 150})
        add_ints(1, [&](std::size_t) { return world.of(target) + below(places) * 100; });
}

TEST_F(ManySegments, overlaps_in_one_region)
{
    const auto in_world = [this](int bytes) -> std::pair<void*, void*> {
        const std::size_t room = space - static_cast<std::size_t>(bytes);
        return {world.of(target) + below(room), &here[below(room)]};
    };
    Lists lists(sizes, 400, in_world);
    ASSERT_EQ(0, ARMCI_PutV(lists.puts.data(), static_cast<int>(lists.puts.size()), target));
    lists.each([&](const std::byte* there, const std::byte* from, std::size_t bytes) {
        std::memcpy(in_model(there), from, bytes);
    });
    expect_models();
}

TEST_F(ManySegments, a_handle_completes_them)
{
    Lists out(sizes, 200, anywhere());
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ASSERT_EQ(0, ARMCI_NbPutV(out.puts.data(), static_cast<int>(out.puts.size()), target, &handle));
    ARMCI_Wait(&handle);
    out.each([&](const std::byte* there, const std::byte* from, std::size_t bytes) {
        std::memcpy(in_model(there), from, bytes);
    });
    expect_models();

    Lists in(sizes, 200, anywhere());
    auto wanted = here;
    in.each([&](const std::byte* there, const std::byte* to, std::size_t bytes) {
        std::memcpy(&wanted[static_cast<std::size_t>(to - here.data())], in_model(there), bytes);
    });
    ASSERT_EQ(0, ARMCI_NbGetV(in.gets.data(), static_cast<int>(in.gets.size()), target, &handle));
    ARMCI_Wait(&handle);
    EXPECT_TRUE(here == wanted);
}

// Disjoint, but in no order: what batched and direct are for.
TEST(HundredsOfThousandsOfSegments, there_and_back)
{
    constexpr std::size_t many = 300'000;
    Region region(static_cast<long>(many * 16));
    const int target = neighbour();
    store(std::vector<std::byte>(many * 16), region.of(target), target);
    ARMCI_Barrier();
    std::vector<std::size_t> order(many);
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto random = rank_generator();
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::int64_t> sent(many), back(many);
    std::iota(sent.begin(), sent.end(), rank());
    std::vector<void*> remote(many), from(many), to(many);
    for (std::size_t i = 0; i < many; ++i) {
        remote[i] = region.of(target, static_cast<long>(16 * order[i]));
        from[i] = &sent[i];
        to[i] = &back[i];
    }
    armci_giov_t put{from.data(), remote.data(), sizeof(std::int64_t), static_cast<int>(many)};
    ASSERT_EQ(0, ARMCI_PutV(&put, 1, target));
    armci_giov_t get{remote.data(), to.data(), sizeof(std::int64_t), static_cast<int>(many)};
    ASSERT_EQ(0, ARMCI_GetV(&get, 1, target));
    EXPECT_TRUE(back == sent);
    ARMCI_Barrier();
    const int origin = neighbour(size() - 1);
    long wrong = 0;
    const std::byte* const mine = region.mine();
    std::vector<std::byte> bytes = fetch(mine, many * 16, rank());
    // The origin's order is its own; the sum and the gaps are not.
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < many; ++i) {
        std::int64_t value = 0;
        std::memcpy(&value, &bytes[16 * i], sizeof value);
        sum += value;
        wrong += std::any_of(&bytes[16 * i + 8], &bytes[16 * i] + 16,
                             [](std::byte b) { return b != std::byte{0}; })
                     ? 1
                     : 0;
    }
    EXPECT_EQ(sum, static_cast<std::int64_t>(many) * (static_cast<std::int64_t>(many) - 1) / 2 +
                       static_cast<std::int64_t>(many) * origin);
    EXPECT_EQ(wrong, 0) << "bytes between the segments";
}

} // namespace
} // namespace armci_test
