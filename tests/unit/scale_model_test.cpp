// tools/scale: fits, rows, profiles and projections of made-up machines and jobs.
#include "tools/scale/collectives.hpp"
#include "tools/scale/least_squares.hpp"
#include "tools/scale/machine.hpp"
#include "tools/scale/memory.hpp"
#include "tools/scale/profile.hpp"
#include "tools/scale/projection.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace armci_test {
namespace {

using namespace armci::scale;

constexpr Shape million{16'384, 64};

TEST(ScaleFit, finds_what_points_were_made_of)
{
    std::vector<std::vector<double>> terms;
    std::vector<double> values;
    for (int n = 1; n <= 16; n *= 2)
        for (const double bytes : {8.0, 65'536.0}) {
            terms.push_back({1, static_cast<double>(n), bytes});
            values.push_back(0.5 + 12.0 * n + 0.001 * bytes);
        }
    const std::vector<double> found = fit(terms, values);
    EXPECT_NEAR(found[0], 0.5, 1e-6);
    EXPECT_NEAR(found[1], 12, 1e-6);
    EXPECT_NEAR(found[2], 0.001, 1e-9);
}

TEST(ScaleFit, has_no_coefficient_below_0)
{
    const std::vector<double> falling = fit({{1, 1}, {1, 2}, {1, 4}}, std::vector<double>{9, 8, 7});
    EXPECT_GT(falling[0], 7);
    EXPECT_EQ(falling[1], 0);
    const std::vector<double> through_0 = fit({{1, 1}, {1, 2}, {1, 4}}, std::vector<double>{1, 3, 7});
    EXPECT_EQ(through_0[0], 0);
    EXPECT_GT(through_0[1], 1);
}

TEST(ScaleCollectives, are_logarithmic_in_nodes)
{
    EXPECT_EQ(steps(1), 0);
    EXPECT_EQ(steps(2), 1);
    EXPECT_EQ(steps(3), 2);
    EXPECT_EQ(steps(16'384), 14);
    EXPECT_EQ(steps(16'385), 15);
    EXPECT_EQ(barrier(million).all, 16'384 * 14);
    EXPECT_EQ(barrier(million).in_a_row, 14);
    EXPECT_EQ(barrier({1, 64}).all, 0);
    EXPECT_EQ(combination({3, 1}, 8).in_a_row, 2);
    EXPECT_EQ(combination({5, 1}, 8).in_a_row, 3);
    EXPECT_EQ(combination({7, 1}, 8).in_a_row, 4);
    EXPECT_EQ(combination({8, 1}, 8).in_a_row, 3);
    EXPECT_EQ(combination({5, 1}, 8).all, 4 * 2 + 2);
    EXPECT_EQ(broadcast({5, 1}, 8).all, 4);
}

// The output of `fences scale` on a made-up machine: 2 us a process on the node, 15 us a step.
std::string rows_of(std::int64_t nodes, std::int64_t per_node)
{
    std::ostringstream rows;
    const auto row = [&](const char* name, double bytes, double value) {
        rows << "scale/" << name << ':' << nodes << 'x' << per_node << "   " << bytes << "  " << value
             << "  us\n";
    };
    const auto in_steps = static_cast<double>(steps(nodes));
    const auto node = 2.0 * static_cast<double>(per_node);
    rows << "Barriers and fences, on armci-rma\n";
    row("barrier", 0, node + 15 * in_steps);
    row("malloc+free", 64, node + 40 * in_steps);
    row("array", 1 << 20, 2000);
    row("sum", 8, node + 20 * in_steps);
    row("get", 8, nodes > 1 ? 25 : 0.01);
    row("get", 65'536, nodes > 1 ? 75 : 1.5);
    row("rmw", 8, nodes > 1 ? 20 : 0.02);
    row("counter", 8, 0.5 * static_cast<double>(nodes * per_node));
    return rows.str();
}

Machine made_up_machine()
{
    std::istringstream in(rows_of(1, 1) + rows_of(1, 4) + rows_of(2, 1) + rows_of(4, 2));
    return Machine(read_points(in));
}

TEST(ScaleMachine, projects_what_rows_were_made_of)
{
    const Machine machine = made_up_machine();
    EXPECT_NEAR(machine.cost("barrier", million), 2 * 64 + 15 * 14, 0.1);
    EXPECT_NEAR(machine.cost("malloc+free", million, 64), 2 * 64 + 40 * 14, 0.1);
    EXPECT_NEAR(machine.cost("array", million, 1 << 20), 2000, 0.1);
    EXPECT_NEAR(machine.cost("get", {2, 1}, 65'536), 75, 0.1);
    EXPECT_NEAR(machine.cost("get", {1, 2}, 65'536), 1.5, 0.01);
    EXPECT_NEAR(machine.cost("counter", million), 0.5 * (1 << 20), 1);
    EXPECT_TRUE(machine.knows("get", million));
    EXPECT_FALSE(machine.knows("put+fence", million));
    EXPECT_EQ(machine.cost("put+fence", million, 8), 0);
}

TEST(ScaleMachine, does_not_know_several_nodes_from_one)
{
    std::istringstream in(rows_of(1, 1) + rows_of(1, 4));
    const Machine machine(read_points(in));
    for (const char* const name : {"barrier", "malloc+free", "sum", "get"}) {
        EXPECT_TRUE(machine.knows(name, {1, 64})) << name;
        EXPECT_FALSE(machine.knows(name, million)) << name;
        EXPECT_EQ(machine.cost(name, million, 64), 0) << name;
    }
    EXPECT_TRUE(machine.knows("array", million));
}

TEST(ScaleMachine, passes_over_other_lines)
{
    std::istringstream in("a title\nput/8_B 2 0.5 us\nscale/get 8 1 us\nscale/get:2y1 8 1 us\n"
                          "scale/get:0x1 8 0 us\nscale/get:2x1 8 25 us\n");
    const std::vector<Point> points = read_points(in);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0].name, "get");
    EXPECT_EQ(points[0].shape.nodes, 2);
    EXPECT_EQ(points[0].value, 25);
}

// 4 processes on 2 nodes, 10 s: each computed 6 s, spent 2 s in gets, and 2 s in barriers.
constexpr const char* profile_text = R"({
  "library": "armci-rma", "processes": 4, "nodes": 2, "seconds": 10,
  "operations": [
    {"operation": "get", "path": "load/store", "count": 4000, "bytes": 32000, "seconds": 0.8},
    {"operation": "get", "path": "network", "count": 4000, "bytes": 32000, "seconds": 7.2},
    {"operation": "rmw", "path": "network", "count": 400, "bytes": 3200, "seconds": 0}
  ],
  "waits": [{"wait": "barrier", "count": 40, "bytes": 0, "seconds": 8}],
  "allocations": {"count": 4, "bytes": 400}
})";

Profile made_up_profile()
{
    std::istringstream in(profile_text);
    std::string problem;
    const auto profile = read_profile(in, problem);
    EXPECT_TRUE(profile) << problem;
    return profile.value_or(Profile());
}

double part(const Projection& projection, const std::string& what)
{
    for (const Part& one : projection.parts)
        if (one.what == what)
            return one.seconds;
    return 0;
}

TEST(ScaleProjection, of_the_same_job_is_that_job)
{
    const Projection same = project(made_up_profile(), made_up_machine(), {2, 2}, {});
    EXPECT_NEAR(same.seconds, 10, 0.01);
    EXPECT_NEAR(part(same, "computing"), 6, 1e-6);
    EXPECT_NEAR(part(same, "get between nodes"), 1.8, 1e-6);
    EXPECT_EQ(same.parts.front().what, "computing");
}

TEST(ScaleProjection, spreads_operations_over_all_nodes)
{
    const Projection large = project(made_up_profile(), made_up_machine(), million, {});
    // 2,000 gets of each process, 1.8 ms each between nodes: all but one of 16,384.
    EXPECT_NEAR(part(large, "get between nodes"), 3.6, 0.01);
    EXPECT_NEAR(part(large, "waits: barrier"), 10e-6 * (2 * 64 + 15 * 14), 1e-6);
    // 100 draws of each process, 0.5 us each at the counter's process.
    EXPECT_NEAR(large.counter, 100 * 0.5e-6 * (1 << 20), 0.1);
    const Projection split = project(made_up_profile(), made_up_machine(), million, {true, 0});
    EXPECT_NEAR(part(split, "computing"), 6.0 * 4 / (1 << 20), 1e-9);
    EXPECT_NEAR(split.counter, 400 * 0.5e-6, 1e-9);
}

TEST(ScaleProfile, that_is_none_says_so)
{
    for (const char* text : {"", "{", "{}", R"({"processes": 2, "nodes": 3})", "no JSON"}) {
        std::istringstream in(text);
        std::string problem;
        EXPECT_FALSE(read_profile(in, problem)) << text;
        EXPECT_FALSE(problem.empty()) << text;
    }
}

TEST(ScaleMemory, grows_with_the_job_by_its_tables_alone)
{
    const auto sum = [](const Use& use) {
        double bytes = 0;
        for (const Holding& one : held(use, Machine({})))
            bytes += one.of_caller ? 0 : one.bytes;
        return bytes;
    };
    const Use none{million, 0, 1, 0};
    const Use regions{million, 100'000, 1, 0};
    const Use twice{{32'768, 64}, 100'000, 1, 0};
    EXPECT_LT(sum(none), 24.0 * (1 << 20));
    EXPECT_NEAR(sum(regions) - sum(none), sum(twice) - sum({{32'768, 64}, 0, 1, 0}), 1);
    EXPECT_LT(sum({million, 0, 1, 1'000'000}) - sum(none), 200e3);
}

} // namespace
} // namespace armci_test
