#include "lives.hpp"

#include <armci.h>

#include <cstring>
#include <vector>

void lives::use()
{
    CHECK(ARMCI_Initialized() != 0);
    const int me = armci_msg_me(), processes = armci_msg_nproc();
    const int right = (me + 1) % processes, left = (me + processes - 1) % processes;
    std::vector<void*> base(processes);
    CHECK(ARMCI_Malloc(base.data(), 200'000) == 0);
    std::memset(base[me], 0, 200'000);
    ARMCI_Barrier();
    std::vector<int> mine(40'000, me);
    CHECK(ARMCI_Put(mine.data(), base[right], 160'000, right) == 0);
    double one = 1, value = me;
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, &value, static_cast<char*>(base[0]) + 160'000, 8, 0) == 0);
    ARMCI_Barrier();
    CHECK(static_cast<int*>(base[me])[0] == left);
    CHECK(static_cast<int*>(base[me])[39'999] == left);
    CHECK(ARMCI_GetValueDouble(static_cast<char*>(base[0]) + 160'000, 0) == processes * (processes - 1) / 2);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
    CHECK(ARMCI_Destroy_mutexes() == 0);
    ARMCI_Barrier();
    CHECK(ARMCI_Free(base[me]) == 0);
}
