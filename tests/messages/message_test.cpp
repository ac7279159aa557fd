#include "tests/messages/scope.hpp"

#include "tests/rma/region.hpp"

#include <chrono>
#include <thread>

namespace armci_test {
namespace {

TEST(Message, knows_who_i_am)
{
    EXPECT_EQ(armci_msg_me(), rank());
    EXPECT_EQ(armci_msg_nproc(), size());
}

TEST(Message, timer_advances_in_seconds)
{
    const double before = armci_timer();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double passed = armci_timer() - before;
    EXPECT_GE(passed, 0.019);
    EXPECT_LT(passed, 60.0);
}

// Even ranks send first, odd ones receive first; then the other way round.
TEST(Message, of_all_sizes_arrive_whole)
{
    if (size() == 1)
        GTEST_SKIP() << "one process has nobody to send to: a blocking send to oneself need not return";
    for (int distance = 1; distance < size(); ++distance)
        for (const std::size_t n : {0u, 1u, 7u, 1000u, 200'000u})
            for (int sender = 0; sender < size(); ++sender) {
                const int receiver = (sender + distance) % size();
                const int tag = 10 + distance;
                if (rank() == sender) {
                    auto data = pattern_bytes(static_cast<std::uint64_t>(sender) + n, n);
                    armci_msg_snd(tag, data.data(), static_cast<int>(n), receiver);
                } else if (rank() == receiver) {
                    std::vector<std::byte> got(n + 5);
                    int length = -1;
                    armci_msg_rcv(tag, got.data(), static_cast<int>(got.size()), &length, sender);
                    EXPECT_EQ(length, static_cast<int>(n));
                    got.resize(n);
                    EXPECT_TRUE(got == pattern_bytes(static_cast<std::uint64_t>(sender) + n, n));
                }
            }
}

TEST(Message, length_need_not_be_asked_for)
{
    if (size() == 1)
        GTEST_SKIP() << "one process has nobody to send to";
    int value = rank() == 0 ? 77 : 0;
    if (rank() == 0) {
        for (int p = 1; p < size(); ++p)
            armci_msg_snd(3, &value, sizeof value, p);
    } else {
        armci_msg_rcv(3, &value, sizeof value, nullptr, 0);
    }
    EXPECT_EQ(value, 77);
}

TEST(Message, tags_keep_messages_apart)
{
    if (size() == 1)
        GTEST_SKIP() << "one process has nobody to send to";
    int first = 1, second = 2;
    if (rank() == 0) {
        armci_msg_snd(100, &first, sizeof first, 1);
        armci_msg_snd(200, &second, sizeof second, 1);
    } else if (rank() == 1) {
        int got = 0;
        armci_msg_rcv(200, &got, sizeof got, nullptr, 0); // the one sent later
        EXPECT_EQ(got, 2);
        armci_msg_rcv(100, &got, sizeof got, nullptr, 0);
        EXPECT_EQ(got, 1);
    }
}

TEST(Message, rcvany_tells_the_sender)
{
    if (size() == 1)
        GTEST_SKIP() << "one process has nobody to send to";
    if (rank() != 0) {
        int mine[2] = {rank(), rank() * rank()};
        armci_msg_snd(50, mine, sizeof mine, 0);
    } else {
        std::vector<bool> seen(static_cast<std::size_t>(size()));
        for (int i = 1; i < size(); ++i) {
            int got[2] = {-1, -1}, length = 0;
            const int from = armci_msg_rcvany(50, got, sizeof got, i % 2 == 0 ? &length : nullptr);
            ASSERT_GT(from, 0);
            ASSERT_LT(from, size());
            EXPECT_FALSE(seen[static_cast<std::size_t>(from)]);
            seen[static_cast<std::size_t>(from)] = true;
            EXPECT_EQ(got[0], from);
            EXPECT_EQ(got[1], from * from);
        }
    }
    armci_msg_barrier();
}

// --- Addresses
// ------------------------------------------------------------------------------------------------

TEST(ExchangeAddress, gives_everybody_every_entry)
{
    std::vector<void*> pointers(static_cast<std::size_t>(size()), nullptr);
    const auto address = [](int process) {
        return reinterpret_cast<void*>(0xffff'0000'1234'5678u + static_cast<unsigned>(process));
    };
    pointers[static_cast<std::size_t>(rank())] = address(rank());
    armci_exchange_address(pointers.data(), size());
    for (int p = 0; p < size(); ++p)
        EXPECT_EQ(pointers[static_cast<std::size_t>(p)], address(p));
}

TEST(ExchangeAddress, takes_several_entries_of_one_process_and_leaves_null_where_nobody_fills)
{
    std::vector<void*> pointers(static_cast<std::size_t>(3 * size()), nullptr);
    for (int i = 0; i < 2; ++i)
        pointers[static_cast<std::size_t>(3 * rank() + i)] = &pointers[0] + i;
    const auto mine = pointers;
    armci_exchange_address(pointers.data(), static_cast<int>(pointers.size()));
    for (int p = 0; p < size(); ++p) {
        EXPECT_NE(pointers[static_cast<std::size_t>(3 * p)], nullptr);
        EXPECT_EQ(pointers[static_cast<std::size_t>(3 * p + 2)], nullptr);
    }
    EXPECT_EQ(pointers[static_cast<std::size_t>(3 * rank())], mine[static_cast<std::size_t>(3 * rank())]);
}

TEST(ExchangeAddress, of_nothing_does_nothing)
{
    armci_exchange_address(nullptr, 0);
}

TEST(ExchangeAddress, within_groups)
{
    TestGroups groups;
    groups.each([](ARMCI_Group* group, const std::vector<int>& members) {
        std::vector<void*> pointers(members.size(), nullptr);
        pointers[static_cast<std::size_t>(group->rank)] =
            reinterpret_cast<void*>(static_cast<std::uintptr_t>(rank() + 1) << 40);
        armci_exchange_address_grp(pointers.data(), static_cast<int>(pointers.size()), group);
        for (std::size_t i = 0; i < members.size(); ++i)
            EXPECT_EQ(pointers[i],
                      reinterpret_cast<void*>(static_cast<std::uintptr_t>(members[i] + 1) << 40));
    });
}

} // namespace
} // namespace armci_test
