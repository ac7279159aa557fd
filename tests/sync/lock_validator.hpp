// One validator for every kind of lock: exclusive access to counters that only the lock protects.
#pragma once

#include "tests/rma/region.hpp"
#include "tests/sync/delay.hpp"

#include <algorithm>

namespace armci_test {

// Each rank enters `rounds` times. lock(i) and unlock(i) are of lock i of `locks`; lock i guards a counter on
// process i modulo the number of processes. It is read and written by separate operations, with delays
// between them and no fence, so a second holder, or a holder that does not see the last one's put, loses an
// update.
template <class Lock, class Unlock>
void validate_lock(int locks, int rounds, Lock lock, Unlock unlock)
{
    Region counters(static_cast<long>(sizeof(long)) * locks);
    std::fill_n(counters.as<long>(rank()), locks, 0L);
    ARMCI_Barrier();
    auto random = rank_generator(70);
    std::vector<long> entered(static_cast<std::size_t>(locks));
    for (int round = 0; round < rounds; ++round) {
        const int i = static_cast<int>(random() % static_cast<std::uint64_t>(locks));
        const int home = i % size();
        long value = -1;
        random_delay(random);
        lock(i);
        ASSERT_EQ(0, ARMCI_Get(counters.as<long>(home) + i, &value, sizeof value, home));
        random_delay(random);
        ++value;
        ASSERT_EQ(0, ARMCI_Put(&value, counters.as<long>(home) + i, sizeof value, home));
        unlock(i);
        ++entered[static_cast<std::size_t>(i)];
    }
    armci_msg_lgop(entered.data(), locks, const_cast<char*>("+"));
    ARMCI_Barrier();
    for (int i = 0; i < locks; ++i)
        EXPECT_EQ(ARMCI_GetValueLong(counters.as<long>(i % size()) + i, i % size()),
                  entered[static_cast<std::size_t>(i)])
            << "lost updates under lock " << i;
}

} // namespace armci_test
