#include "tests/rma/region.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <sched.h>
#include <string>

namespace armci_test {
namespace {

// One of each nonblocking operation, all on different bytes of one target, and a check of each.
class Operations {
public:
    static constexpr long part = 4096;

    Operations(const Region& region, int target, std::uint64_t salt)
        : target_(target), remote_(region.of(target, part * rank())), sent_(pattern_bytes(salt, part)),
          received_(part), start_(pattern_bytes(salt + 1, part))
    {
        store(start_, remote_, target_);
    }

    static constexpr int kinds = 10;

    // `handle` may be null. The arrays of a call are overwritten when it has returned: they may be reused.
    int issue(int kind, armci_hdl_t* handle)
    {
        const long at = 400L * kind;
        std::byte* const there = remote_ + at;
        std::byte* const out = sent_.data() + at;
        std::byte* const in = received_.data() + at;
        int source_stride[] = {40}, target_stride[] = {48}, count[] = {24, 6};
        void* sources[] = {out, out + 100};
        void* targets[] = {there + 7, there + 200};
        armci_giov_t segments{sources, targets, 60, 2};
        void* acc_targets[] = {there, there + 120}; // aligned
        armci_giov_t acc_segments{sources, acc_targets, 60, 2};
        void* get_sources[] = {there + 7, there + 200};
        void* get_targets[] = {in, in + 100};
        armci_giov_t get_segments{get_sources, get_targets, 60, 2};
        int scale = 3;
        int result = -1;
        switch (kind) {
        case 0:
            result = ARMCI_NbPut(out, there, 333, target_, handle);
            break;
        case 1:
            result = ARMCI_NbGet(there, in, 333, target_, handle);
            break;
        case 2:
            result = ARMCI_NbAcc(ARMCI_ACC_INT, &scale, out, there, 300, target_, handle);
            break;
        case 3:
            result = ARMCI_NbPutS(out, source_stride, there, target_stride, count, 1, target_, handle);
            break;
        case 4:
            result = ARMCI_NbGetS(there, source_stride, in, target_stride, count, 1, target_, handle);
            break;
        case 5:
            result = ARMCI_NbAccS(ARMCI_ACC_INT, &scale, out, source_stride, there, target_stride, count, 1,
                                  target_, handle);
            break;
        case 6:
            result = ARMCI_NbPutV(&segments, 1, target_, handle);
            break;
        case 7:
            result = ARMCI_NbGetV(&get_segments, 1, target_, handle);
            break;
        case 8:
            result = ARMCI_NbAccV(ARMCI_ACC_INT, &scale, &acc_segments, 1, target_, handle);
            break;
        case 9:
            result = ARMCI_NbPutValueInt(4711, there, target_, handle);
            break;
        }
        scale = 0;
        source_stride[0] = target_stride[0] = count[0] = count[1] = -1;
        std::fill_n(sources, 2, nullptr);
        std::fill_n(targets, 2, nullptr);
        std::fill_n(acc_targets, 2, nullptr);
        std::fill_n(get_sources, 2, nullptr);
        std::fill_n(get_targets, 2, nullptr);
        segments = acc_segments = get_segments = {nullptr, nullptr, -1, -1};
        return result;
    }

    // After local completion: what was read is there, and what I wrote is seen by my own gets.
    void expect_done(int kind)
    {
        const auto at = static_cast<std::size_t>(400 * kind);
        std::vector<std::byte> wanted_remote(start_.begin() + static_cast<long>(at),
                                             start_.begin() + static_cast<long>(at) + 400);
        std::vector<std::byte> wanted_local(400);
        const std::byte* const out = &sent_[at];
        const std::byte* const before = &start_[at];
        const auto to_remote = [&](std::size_t to, std::size_t from, std::size_t n) {
            std::copy_n(out + from, n, &wanted_remote[to]);
        };
        const auto to_local = [&](std::size_t to, std::size_t from, std::size_t n) {
            std::copy_n(before + from, n, &wanted_local[to]);
        };
        const auto add = [&](std::size_t to, std::size_t from, std::size_t n) {
            for (std::size_t i = 0; i < n; i += sizeof(unsigned)) {
                unsigned sum, term;
                std::memcpy(&sum, &wanted_remote[to + i], sizeof sum);
                std::memcpy(&term, out + from + i, sizeof term);
                sum += 3 * term;
                std::memcpy(&wanted_remote[to + i], &sum, sizeof sum);
            }
        };
        const int value = 4711;
        switch (kind) {
        case 0:
            to_remote(0, 0, 333);
            break;
        case 1:
            to_local(0, 0, 333);
            break;
        case 2:
            add(0, 0, 300);
            break;
        case 3:
            for (std::size_t i = 0; i < 6; ++i)
                to_remote(48 * i, 40 * i, 24);
            break;
        case 4:
            for (std::size_t i = 0; i < 6; ++i)
                to_local(48 * i, 40 * i, 24);
            break;
        case 5:
            for (std::size_t i = 0; i < 6; ++i)
                add(48 * i, 40 * i, 24);
            break;
        case 6:
            to_remote(7, 0, 60), to_remote(200, 100, 60);
            break;
        case 7:
            to_local(0, 7, 60), to_local(100, 200, 60);
            break;
        case 8:
            add(0, 0, 60), add(120, 100, 60);
            break;
        case 9:
            std::memcpy(wanted_remote.data(), &value, sizeof value);
            break;
        }
        EXPECT_EQ(fetch(remote_ + at, 400, target_), wanted_remote) << "target of operation " << kind;
        EXPECT_TRUE(
            std::equal(wanted_local.begin(), wanted_local.end(), received_.begin() + static_cast<long>(at)))
            << "origin of operation " << kind;
    }

private:
    int target_;
    std::byte* remote_;
    std::vector<std::byte> sent_, received_, start_;
};

class Nonblocking : public testing::Test {
protected:
    Region region{Operations::part * size()};
};

TEST_F(Nonblocking, explicit_handle_completes_its_operation)
{
    for (int distance = 0; distance < size(); ++distance) {
        Operations operations(region, neighbour(distance), 100);
        for (int kind = 0; kind < Operations::kinds; ++kind) {
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            ASSERT_EQ(0, operations.issue(kind, &handle)) << kind;
            EXPECT_EQ(0, ARMCI_Wait(&handle));
            operations.expect_done(kind);
        }
    }
}

TEST_F(Nonblocking, test_tells_of_completion_with_zero)
{
    Operations operations(region, neighbour(), 200);
    for (int kind = 0; kind < Operations::kinds; ++kind) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ASSERT_EQ(0, operations.issue(kind, &handle)) << kind;
        while (ARMCI_Test(&handle) != 0)
            sched_yield();
        operations.expect_done(kind);
    }
}

TEST_F(Nonblocking, many_handles_complete_in_any_order)
{
    Operations operations(region, neighbour(), 300);
    armci_hdl_t handles[Operations::kinds];
    for (int kind = 0; kind < Operations::kinds; ++kind) {
        ARMCI_INIT_HANDLE(&handles[kind]);
        ASSERT_EQ(0, operations.issue(kind, &handles[kind]));
    }
    for (int kind = Operations::kinds - 1; kind >= 0; --kind) {
        EXPECT_EQ(0, ARMCI_Wait(&handles[kind]));
        operations.expect_done(kind);
    }
}

TEST_F(Nonblocking, handle_serves_again_after_wait_and_after_test)
{
    Operations operations(region, neighbour(), 400);
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    for (int kind = 0; kind < Operations::kinds; ++kind) {
        ASSERT_EQ(0, operations.issue(kind, &handle));
        if (kind % 2 == 0) {
            EXPECT_EQ(0, ARMCI_Wait(&handle));
        } else {
            while (ARMCI_Test(&handle) != 0)
                sched_yield();
        }
        operations.expect_done(kind);
    }
}

TEST_F(Nonblocking, fresh_or_finished_handle_is_complete)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    EXPECT_EQ(0, ARMCI_Test(&handle));
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    EXPECT_EQ(0, ARMCI_Wait(&handle));
}

TEST_F(Nonblocking, implicit_handles_complete_by_process_all_or_barrier)
{
    const std::pair<const char*, std::function<void(int)>> ways[] = {
        {"WaitProc", [](int target) { EXPECT_EQ(0, ARMCI_WaitProc(target)); }},
        {"WaitAll", [](int) { EXPECT_EQ(0, ARMCI_WaitAll()); }},
        {"Barrier", [](int) { ARMCI_Barrier(); }},
    };
    for (const auto& [name, complete] : ways) {
        SCOPED_TRACE(name);
        for (int distance = 0; distance < size(); ++distance) {
            Operations operations(region, neighbour(distance), 500);
            for (int kind = 0; kind < Operations::kinds; ++kind)
                ASSERT_EQ(0, operations.issue(kind, nullptr));
            complete(neighbour(distance));
            for (int kind = 0; kind < Operations::kinds; ++kind)
                operations.expect_done(kind);
            ARMCI_Barrier(); // all use the same bytes again
        }
    }
}

TEST_F(Nonblocking, aggregate_handle_completes_all_its_operations)
{
    for (int round = 0; round < 3; ++round) {
        Operations operations(region, neighbour(), 600 + static_cast<std::uint64_t>(round));
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        for (int kind = 0; kind < Operations::kinds; ++kind)
            ASSERT_EQ(0, operations.issue(kind, &handle));
        if (round == 1) {
            while (ARMCI_Test(&handle) != 0)
                sched_yield();
        } else {
            EXPECT_EQ(0, ARMCI_Wait(&handle));
        }
        for (int kind = 0; kind < Operations::kinds; ++kind)
            operations.expect_done(kind);
        // Plain again, on the same handle.
        ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
        Operations more(region, neighbour(), 700);
        ASSERT_EQ(0, more.issue(0, &handle));
        EXPECT_EQ(0, ARMCI_Wait(&handle));
        more.expect_done(0);
    }
}

// Gets wait in an aggregate handle; a later write to what they read must not come first.
TEST_F(Nonblocking, a_write_comes_after_the_gets_of_an_aggregate_handle)
{
    const std::pair<const char*, std::function<void(long*, void*, int)>> writes[] = {
        {"Put", [](long* value, void* to, int target) { ARMCI_Put(value, to, sizeof *value, target); }},
        {"NbPut",
         [](long* value, void* to, int target) { ARMCI_NbPut(value, to, sizeof *value, target, nullptr); }},
        {"Acc",
         [](long* value, void* to, int target) {
             long one = 1;
             ARMCI_Acc(ARMCI_ACC_LNG, &one, value, to, sizeof *value, target);
         }},
        {"Rmw",
         [](long*, void* to, int target) {
             long before = 0;
             ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, to, 100, target);
         }},
    };
    constexpr int many = 300; // more than are queued
    // A stream of gets comes and goes before.
    std::array<long, 20> stream{};
    for (std::size_t i = 0; i < stream.size(); ++i)
        ASSERT_EQ(0, ARMCI_NbGet(region.of(neighbour(), 16 * static_cast<long>(i)), &stream[i],
                                 sizeof stream[i], neighbour(), nullptr));
    ARMCI_WaitAll();
    for (const auto& [name, write] : writes) {
        SCOPED_TRACE(name);
        std::vector<long> start(many), found(many, -1);
        std::iota(start.begin(), start.end(), 1000L * rank());
        auto* const there = reinterpret_cast<long*>(region.of(neighbour(), Operations::part * rank()));
        ASSERT_EQ(0, ARMCI_Put(start.data(), there, many * static_cast<int>(sizeof(long)), neighbour()));
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        for (int i = 0; i < many; ++i) {
            const int place = i * 7 % many;
            ASSERT_EQ(0, ARMCI_NbGet(there + place, &found[static_cast<std::size_t>(place)], sizeof(long),
                                     neighbour(), &handle));
        }
        long other = -7;
        for (const int i : {0, 100, 270, many - 2, many - 1}) // the last ones are queued still
            write(&other, there + i * 7 % many, neighbour());
        EXPECT_EQ(0, ARMCI_Wait(&handle));
        EXPECT_EQ(start, found);
        ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
        ARMCI_WaitAll(); // `other` is a source
    }
}

TEST_F(Nonblocking, operations_come_after_the_puts_of_an_aggregate_handle)
{
    auto* const there = reinterpret_cast<long*>(region.of(neighbour(), Operations::part * rank()));
    std::vector<long> values(8), found(8, -1), large(512, 5);
    std::iota(values.begin(), values.end(), 10L * rank());
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(0, ARMCI_NbPut(&values[i], there + 2 * i, sizeof(long), neighbour(), &handle));
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(0, ARMCI_Get(there + 2 * i, &found[i], sizeof(long), neighbour()));
    EXPECT_EQ(values, found);
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(0, ARMCI_NbPut(&values[i], there + 2 * i, sizeof(long), neighbour(), &handle));
    ASSERT_EQ(0,
              ARMCI_NbPut(large.data(), there, 512 * static_cast<int>(sizeof(long)), neighbour(), &handle));
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    ASSERT_EQ(0, ARMCI_Get(there, values.data(), 8 * static_cast<int>(sizeof(long)), neighbour()));
    EXPECT_EQ(std::vector<long>(8, 5), values);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
}

TEST_F(Nonblocking, barrier_shows_them_to_the_target)
{
    Operations operations(region, neighbour(), 800 + static_cast<std::uint64_t>(rank()));
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ASSERT_EQ(0, operations.issue(0, &handle));
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    ARMCI_Barrier();
    const int left = neighbour(size() - 1);
    const auto sent = pattern_bytes(800 + static_cast<std::uint64_t>(left), 333);
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), region.mine(Operations::part * left)))
        << "by direct load";
}

TEST_F(Nonblocking, zero_bytes_complete)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    int count[] = {0, 3}, stride[] = {8};
    EXPECT_EQ(0, ARMCI_NbPut(nullptr, nullptr, 0, neighbour(), &handle));
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    EXPECT_EQ(0, ARMCI_NbGetS(nullptr, stride, nullptr, stride, count, 1, neighbour(), &handle));
    EXPECT_EQ(0, ARMCI_Test(&handle));
    EXPECT_EQ(0, ARMCI_NbPutV(nullptr, 0, neighbour(), nullptr));
    EXPECT_EQ(0, ARMCI_WaitAll());
}

} // namespace
} // namespace armci_test
