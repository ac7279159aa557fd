#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>

#include <vector>

namespace armci_test {
namespace {

constexpr armci_domain_t smp = ARMCI_DOMAIN_SMP;

TEST(Topology, every_process_is_in_exactly_one_domain)
{
    std::vector<int> domain_of(static_cast<std::size_t>(size()), -1);
    for (int id = 0; id < armci_domain_count(smp); ++id) {
        EXPECT_GT(armci_domain_nprocs(smp, id), 0);
        for (int local = 0; local < armci_domain_nprocs(smp, id); ++local) {
            const int process = armci_domain_glob_proc_id(smp, id, local);
            ASSERT_GE(process, 0);
            ASSERT_LT(process, size());
            EXPECT_EQ(domain_of[static_cast<std::size_t>(process)], -1) << "process " << process << " twice";
            domain_of[static_cast<std::size_t>(process)] = id;
        }
    }
    for (int p = 0; p < size(); ++p) {
        EXPECT_EQ(armci_domain_id(smp, p), domain_of[static_cast<std::size_t>(p)]);
        const bool same =
            domain_of[static_cast<std::size_t>(p)] == domain_of[static_cast<std::size_t>(rank())];
        EXPECT_EQ(armci_domain_same_id(smp, p) != 0, same);
        EXPECT_EQ(ARMCI_Same_node(p) != 0, same);
    }
    EXPECT_EQ(armci_domain_my_id(smp), domain_of[static_cast<std::size_t>(rank())]);
}

TEST(Topology, negative_domain_is_my_own)
{
    const int mine = armci_domain_my_id(smp);
    EXPECT_EQ(armci_domain_nprocs(smp, -1), armci_domain_nprocs(smp, mine));
    for (int local = 0; local < armci_domain_nprocs(smp, -1); ++local)
        EXPECT_EQ(armci_domain_glob_proc_id(smp, -1, local), armci_domain_glob_proc_id(smp, mine, local));
}

TEST(Topology, i_am_on_my_own_node)
{
    EXPECT_NE(ARMCI_Same_node(rank()), 0);
}

} // namespace
} // namespace armci_test
