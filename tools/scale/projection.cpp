#include "tools/scale/projection.hpp"

#include <algorithm>

namespace armci::scale {
namespace {

constexpr double microsecond = 1e-6;

// The share of operations that stay on the node however many nodes there are.
double share_that_stays(const Sum& near, const Sum& far, std::int64_t nodes, double otherwise)
{
    const double all = near.count + far.count;
    if (nodes == 1 || all == 0)
        return otherwise;
    const double even = 1 / static_cast<double>(nodes);
    return std::max((near.count / all - even) / (1 - even), 0.0);
}

// What the machine calls an operation of the profile.
std::string row_of(const std::string& operation)
{
    if (operation == "rmw")
        return "rmw";
    if (operation.find("get") != std::string::npos)
        return "get";
    return operation.find("put") != std::string::npos ? "put+fence" : "acc+fence";
}

// Seconds of one operation.
double mean_cost(const std::string& operation, const Sum& seen, double mean_bytes, const Machine& machine,
                 Shape shape)
{
    if (seen.count > 0)
        return seen.seconds / seen.count;
    return microsecond * machine.cost(row_of(operation), shape, mean_bytes);
}

bool is_of_all(const std::string& wait)
{
    return wait == "barrier" || wait == "message" || wait == "allocation";
}

// Seconds of one call of all processes.
double collective_cost(const std::string& wait, const Machine& machine, Shape shape)
{
    if (wait == "barrier")
        return microsecond * machine.cost("barrier", shape);
    if (wait == "message")
        return microsecond * machine.cost("sum", shape, sizeof(double));
    // Each is an allocation or a free.
    const double array = machine.cost("array", shape, static_cast<double>(shape.processes()));
    return microsecond * (machine.cost("malloc+free", shape) + array) / 2;
}

} // namespace

Projection project(const Profile& profile, const Machine& machine, Shape shape, const Assumptions& assume)
{
    const auto before = static_cast<double>(profile.shape.processes());
    const auto after = static_cast<double>(shape.processes());
    const double work = assume.fixed_work ? before / after : 1; // of a process, of what it did
    const Shape one_node{1, shape.per_node};
    const Shape several{std::max<std::int64_t>(shape.nodes, 2), shape.per_node};
    Projection result;
    double elsewhere = 0; // seconds that the profile has outside of computing
    for (const auto& [operation, paths] : profile.operations) {
        const Sum& near = paths.load_store;
        const Sum& far = paths.network;
        const double count = near.count + far.count;
        elsewhere += near.seconds + far.seconds;
        const double stays = share_that_stays(near, far, profile.shape.nodes, assume.stays);
        const double on_node = stays + (1 - stays) / static_cast<double>(shape.nodes);
        const double mean_bytes = (near.bytes + far.bytes) / count;
        const double each = count / before * work;
        result.parts.push_back({operation + " on the node",
                                each * on_node * mean_cost(operation, near, mean_bytes, machine, one_node)});
        result.parts.push_back(
            {operation + " between nodes",
             each * (1 - on_node) * mean_cost(operation, far, mean_bytes, machine, several)});
        if (operation == "rmw")
            result.counter =
                count * (after / before) * work * microsecond * machine.cost("counter", shape) / after;
    }
    double late = 0;
    for (const auto& [wait, sum] : profile.waits) {
        elsewhere += sum.seconds;
        const double calls = sum.count / before;
        if (!is_of_all(wait)) {
            result.parts.push_back({"waits: " + wait, sum.seconds / before * work});
            continue;
        }
        const double then = calls * collective_cost(wait, machine, profile.shape);
        const double now = calls * collective_cost(wait, machine, shape);
        result.parts.push_back({"waits: " + wait, now});
        late += std::max(sum.seconds / before - then, 0.0);
    }
    result.parts.push_back({"waits for others that come late", late * work});
    result.parts.push_back({"computing", std::max(profile.seconds - elsewhere / before, 0.0) * work});
    std::erase_if(result.parts, [](const Part& part) { return part.seconds <= 0; });
    std::sort(result.parts.begin(), result.parts.end(),
              [](const Part& a, const Part& b) { return a.seconds > b.seconds; });
    for (const Part& part : result.parts)
        result.seconds += part.seconds;
    return result;
}

} // namespace armci::scale
