#include "armci/base/observe/report.hpp"

#include <gtest/gtest.h>

#include <string>

namespace armci_test {
namespace {

using namespace armci::observe;

Report some_report()
{
    Report report;
    report.processes = 2;
    report.nodes = 1;
    report.elapsed = 1'500'000'000;
    report.operations[static_cast<std::size_t>(Kind::get)][1] = {10, 80, 5'000, 100, 450, 900, 1000};
    report.waited[static_cast<std::size_t>(Wait::lock)] = {1, 0, 7, 7, 7, 7, 7};
    report.shares = {{8, 64, 4'000, 7}, {2, 16, 1'000, 0}};
    report.pairs = {{0, 1, 8, 64}};
    RegionTraffic region;
    region.region = {0x1000, 1, 2, 3, 4096};
    region.operations = 10;
    region.bytes = 80;
    report.regions = {region};
    return report;
}

TEST(Report, json_has_every_figure)
{
    const std::string json = to_json(some_report());
    for (
        const char* part :
        {R"("processes": 2)", R"("seconds": 1.500000000)",
         R"({"operation": "get", "path": "network", "count": 10, "bytes": 80, "seconds": 0.000005000, "least_ns": 100, "median_ns": 450, "p99_ns": 900, "most_ns": 1000})",
         R"({"wait": "lock", "count": 1)", R"({"origin": 0, "target": 1, "operations": 8, "bytes": 64})",
         R"({"first_process": 1, "start": "0x1000", "allocation": 3, "processes": 2, "size": 4096, "operations": 10, "bytes": 80})",
         R"("imbalance": {"bytes": 1.6000, "operation_seconds": 1.6000, "wait_seconds": 2.0000})"})
        EXPECT_NE(json.find(part), std::string::npos) << part << "\nin " << json;
    EXPECT_EQ(json.find("strided"), std::string::npos) << "what was not seen is not listed";
}

TEST(Report, nothing_to_share_is_no_imbalance)
{
    EXPECT_EQ(imbalance({}, &ProcessShare::bytes), 1);
    EXPECT_EQ(imbalance({{0, 0, 0, 0}, {0, 0, 0, 0}}, &ProcessShare::bytes), 1);
    EXPECT_EQ(imbalance({{0, 5, 0, 0}, {0, 5, 0, 0}}, &ProcessShare::bytes), 1);
    EXPECT_EQ(imbalance({{0, 0, 0, 0}, {0, 9, 0, 0}, {0, 0, 0, 0}}, &ProcessShare::bytes), 3);
}

} // namespace
} // namespace armci_test
