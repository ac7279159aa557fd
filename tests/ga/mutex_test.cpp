// GA's mutexes: what is done under one is seen whole by the next owner. (GA 5.8 locks one and the same ARMCI
// mutex whichever of a set is asked for, so none is locked here while another is held.)
#include "tests/ga/array.hpp"

#include <gtest/gtest.h>

TEST(Mutex, guards_a_read_modify_write)
{
    constexpr int mutexes = 5, rounds = 200;
    ASSERT_EQ(GA_Create_mutexes(mutexes), 1);
    // Element m belongs to mutex m; the two halves of a pair are never seen apart.
    ga::Array a(C_LONG, {mutexes, 2});
    GA_Zero(a.handle());
    int torn = 0;
    for (int n = 0; n < rounds; ++n) {
        const int m = (n + GA_Nodeid()) % mutexes;
        GA_Lock(m);
        const long x = ga::get_one<long>(a, {m, 0}), y = ga::get_one<long>(a, {m, 1});
        torn += x != y;
        GA_Init_fence();
        ga::put_one<long>(a, {m, 0}, x + 1);
        ga::put_one<long>(a, {m, 1}, y + 1);
        GA_Fence();
        GA_Unlock(m);
    }
    EXPECT_EQ(torn, 0);
    GA_Sync();
    EXPECT_TRUE(ga::get_all<long>(a) == std::vector<long>(2 * mutexes, long{rounds} * GA_Nnodes() / mutexes));
    GA_Sync();
    EXPECT_EQ(GA_Destroy_mutexes(), 1);
}

TEST(Mutex, can_be_created_again)
{
    for (int count = 1; count <= 20; ++count) {
        ASSERT_EQ(GA_Create_mutexes(count), 1);
        for (int m = 0; m < count; ++m) {
            GA_Lock(m);
            GA_Unlock(m);
        }
        ASSERT_EQ(GA_Destroy_mutexes(), 1);
    }
}
