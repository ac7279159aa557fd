#include "armci/base/node_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace armci_test {
namespace {

std::uint64_t meminfo(const std::string& field)
{
    std::ifstream file("/proc/meminfo");
    for (std::string name; file >> name;) {
        std::uint64_t kilobytes = 0;
        file >> kilobytes;
        if (name == field + ":")
            return kilobytes * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

TEST(NodeMemory, total_is_no_more_than_the_machine_has)
{
    EXPECT_GT(armci::node_memory::total(), std::uint64_t{16} << 20);
    EXPECT_LE(armci::node_memory::total(), meminfo("MemTotal") + meminfo("SwapTotal"));
}

TEST(NodeMemory, available_is_no_more_than_total)
{
    EXPECT_GT(armci::node_memory::available(), 0u);
    EXPECT_LE(armci::node_memory::available(), armci::node_memory::total());
}

TEST(NodeMemory, total_does_not_change)
{
    EXPECT_EQ(armci::node_memory::total(), armci::node_memory::total());
}

} // namespace
} // namespace armci_test
