// All ranks at one mutex, with lock and trylock, until it was taken so many times in all. Whatever the
// algorithm: one holder at a time, each sees what the last one wrote, everybody comes in the end, and where
// the algorithm keeps a queue nobody comes much less often than others.
//
//     MUTEX_ACQUISITIONS=100000    in all; 2,000 by default
#include "tests/sync/lock_validator.hpp"

#include <armcix.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace armci_test {
namespace {

long acquisitions()
{
    const char* const text = std::getenv("MUTEX_ACQUISITIONS");
    return text == nullptr ? 2000 : std::atol(text);
}

bool keeps_a_queue()
{
    const char* const method = std::getenv("ARMCI_MUTEX_METHOD");
    const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
    const bool is_hybrid = method == nullptr ? nodes > 1 && nodes < size() : method == std::string("hybrid");
    return !is_hybrid; // CPUs are faster than the network there
}

class MutexCrowd : public testing::Test {
protected:
    MutexCrowd()
    {
        ARMCI_Group_get_world(&world);
        set = ARMCIX_Create_mutexes_hdl(1, &world);
        std::fill_n(counter.as<long>(rank()), 2, 0);
        ARMCI_Barrier();
    }
    ~MutexCrowd() override
    {
        ARMCI_Barrier();
        EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(set));
    }

    // With the mutex: counts by a get and a put apart, or finds that the work is done. Nothing is counted
    // before everybody has come in: how late a process begins says nothing about the algorithm.
    bool count_one(std::mt19937_64& random, long& mine)
    {
        long seen[2] = {-1, -1}; // counted, have come in
        EXPECT_EQ(0, ARMCI_Get(counter.as<long>(home), seen, sizeof seen, home));
        if (seen[0] >= acquisitions())
            return false;
        random_delay(random);
        if (!std::exchange(has_come_in, true))
            ++seen[1];
        if (seen[1] == size()) {
            ++seen[0];
            ++mine;
        }
        EXPECT_EQ(0, ARMCI_Put(seen, counter.as<long>(home), sizeof seen, home));
        return true;
    }
    // Each rank says how often it counted.
    std::vector<long> expect_all_counted(long mine)
    {
        std::vector<long> shares(static_cast<std::size_t>(size()));
        shares[static_cast<std::size_t>(rank())] = mine;
        armci_msg_lgop(shares.data(), size(), const_cast<char*>("+"));
        long sum = 0;
        for (const long share : shares)
            sum += share;
        EXPECT_EQ(sum, acquisitions()) << "two were in at once, or one did not see the last one's put";
        return shares;
    }

    Region counter{2 * sizeof(long)};
    bool has_come_in = false;
    ARMCI_Group world;
    armcix_mutex_hdl_t set = nullptr;
    const int host = size() - 1;
    const int home = size() / 2; // another one's memory, and another node's
};

TEST_F(MutexCrowd, everybody_comes_in)
{
    ASSERT_NE(set, nullptr);
    auto random = rank_generator(82);
    long mine = 0;
    for (bool more = true; more;) {
        random_delay(random);
        ARMCIX_Lock_hdl(set, 0, host);
        more = count_one(random, mine);
        ARMCIX_Unlock_hdl(set, 0, host);
    }
    const std::vector<long> shares = expect_all_counted(mine);
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    if (rank() == 0)
        std::printf("shares: %ld to %ld of %ld\n", *least, *most, acquisitions());
    if (keeps_a_queue()) {
        EXPECT_GE(*least, acquisitions() / size() / 10) << "somebody starves";
    }
}

TEST_F(MutexCrowd, trylock_and_lock_mixed)
{
    ASSERT_NE(set, nullptr);
    auto random = rank_generator(83);
    long mine = 0;
    for (bool more = true; more;) {
        random_delay(random);
        if (random() % 2 == 0)
            ARMCIX_Lock_hdl(set, 0, host);
        else if (ARMCIX_Trylock_hdl(set, 0, host) != 0)
            continue;
        more = count_one(random, mine);
        ARMCIX_Unlock_hdl(set, 0, host);
    }
    expect_all_counted(mine);
}

} // namespace
} // namespace armci_test
