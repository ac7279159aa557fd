// scale_model: time and memory of a job at more nodes and processes than there are, from what calls cost in
// small jobs and from what a job did (docs/scale.md).
#include "tools/scale/collectives.hpp"
#include "tools/scale/machine.hpp"
#include "tools/scale/memory.hpp"
#include "tools/scale/profile.hpp"
#include "tools/scale/projection.hpp"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace armci::scale;

namespace {

constexpr const char* usage =
    "usage: scale_model --machine FILE ... [--check FILE ...]\n"
    "                   [--nodes N --per-node R [--regions K] [--runs U] [--targets T]]\n"
    "                   [--profile FILE [--fixed-work] [--stays SHARE]]\n"
    "  --machine FILE  what `fences scale` of benchmarks/ printed in jobs of one node and of several\n"
    "  --check FILE    the same of other jobs: prints what the model says beside it\n"
    "  --nodes, --per-node  the job to project: nodes, and processes on each\n"
    "  --regions, --runs, --targets  live allocations, runs of processes with equal parts in each, and\n"
    "                  processes of other nodes that a process has written to lately\n"
    "  --profile FILE  what ARMCI_STATS=FILE.json wrote of a job\n"
    "  --fixed-work    the job as a whole does what it did, not each process\n"
    "  --stays SHARE   the share of operations that never leave the node, for the profile of one node\n";

[[noreturn]] void fail(const std::string& what)
{
    std::fprintf(stderr, "scale_model: %s\n", what.c_str());
    std::exit(2);
}

struct Options {
    std::vector<std::string> machine;
    std::vector<std::string> check;
    std::string profile;
    Use use{{0, 0}, 0, 1, 0};
    Assumptions assume;
};

std::int64_t whole_number(std::string_view name, std::string_view text, std::int64_t least)
{
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        fail(std::string(name) + " wants a whole number from " + std::to_string(least) + " on, not '" +
             std::string(text) + "'");
    return value;
}

double share(std::string_view name, const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !(value >= 0 && value <= 1))
        fail(std::string(name) + " wants a share from 0 to 1, not '" + text + "'");
    return value;
}

Options read_options(const std::vector<std::string>& words)
{
    Options options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& name = words[i];
        if (name == "--fixed-work") {
            options.assume.fixed_work = true;
            continue;
        }
        if (i + 1 == words.size())
            fail("unknown option, or no value: " + name + "\n" + usage);
        const std::string& value = words[++i];
        if (name == "--machine" || name == "--check") {
            std::vector<std::string>& files = name == "--machine" ? options.machine : options.check;
            files.push_back(value);
            while (i + 1 < words.size() && !words[i + 1].starts_with("--"))
                files.push_back(words[++i]);
        } else if (name == "--profile")
            options.profile = value;
        else if (name == "--nodes")
            options.use.shape.nodes = whole_number(name, value, 1);
        else if (name == "--per-node")
            options.use.shape.per_node = whole_number(name, value, 1);
        else if (name == "--regions")
            options.use.regions = whole_number(name, value, 0);
        else if (name == "--runs")
            options.use.runs = whole_number(name, value, 1);
        else if (name == "--targets")
            options.use.targets = whole_number(name, value, 0);
        else if (name == "--stays")
            options.assume.stays = share(name, value);
        else
            fail("unknown option: " + name + "\n" + usage);
    }
    if (options.machine.empty())
        fail(std::string("no --machine\n") + usage);
    return options;
}

std::vector<Point> points_of(const std::vector<std::string>& files)
{
    std::vector<Point> all;
    for (const std::string& file : files) {
        std::ifstream in(file);
        if (!in)
            fail(file + " cannot be read");
        const std::vector<Point> points = read_points(in);
        if (points.empty())
            fail(file + " has no rows of `fences scale`");
        all.insert(all.end(), points.begin(), points.end());
    }
    return all;
}

void print_check(const Machine& machine, const std::vector<Point>& points)
{
    std::printf("%-12s %6s %10s %8s %14s %14s %8s\n", "call", "nodes", "processes", "bytes", "measured",
                "model", "error");
    std::vector<double> errors;
    for (const Point& point : points) {
        if (!machine.knows(point.name, point.shape)) {
            std::printf("%-12s: the machine's files have no rows of such jobs\n", point.name.c_str());
            continue;
        }
        const double model = machine.cost(point.name, point.shape, point.bytes);
        errors.push_back(std::abs(model / point.value - 1));
        std::printf("%-12s %6" PRId64 " %10" PRId64 " %8.0f %14.6g %14.6g %7.1f%%\n", point.name.c_str(),
                    point.shape.nodes, point.shape.processes(), point.bytes, point.value, model,
                    100 * (model / point.value - 1));
    }
    if (errors.empty())
        return;
    std::sort(errors.begin(), errors.end());
    std::printf("errors: median %.1f%%, largest %.1f%%\n", 100 * errors[errors.size() / 2],
                100 * errors.back());
}

void print_call(const char* what, const Messages& messages, double us)
{
    std::printf("  %-22s %14" PRId64 " %10" PRId64 " %16" PRId64 "", what, messages.all, messages.in_a_row,
                messages.bytes);
    if (us > 0)
        std::printf(" %14.6g us\n", us);
    else
        std::printf(" %17s\n", "unknown");
}

void print_calls(const Machine& machine, Shape shape)
{
    std::printf(
        "calls of all processes: messages between nodes, how many of them in a row, bytes of all, time\n");
    print_call("barrier", barrier(shape), machine.cost("barrier", shape));
    const Messages allocates = allocation(shape);
    const Messages frees = release(shape);
    const double array = machine.cost("array", shape, static_cast<double>(shape.processes()));
    const double control = machine.cost("malloc+free", shape);
    print_call(
        "allocation and free",
        {allocates.all + frees.all, allocates.in_a_row + frees.in_a_row, allocates.bytes + frees.bytes},
        control > 0 ? control + array : 0);
    std::printf("  %-22s %59.6g us\n", "  of that the array", array);
    print_call("sum of 8 bytes", combination(shape, 8), machine.cost("sum", shape, 8));
    print_call("fence, nothing pending", {}, 0);
    std::printf("start, as in the jobs measured, not projected: %.4g s of the library, %.4g s of MPI\n",
                1e-6 * machine.cost("start", shape), 1e-6 * machine.cost("mpi-start", shape));
}

void print_memory(const Machine& machine, const Use& use)
{
    std::vector<Holding> all = held(use, machine);
    std::sort(all.begin(), all.end(), [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
    std::printf("memory of one process, in bytes, with %" PRId64 " regions\n", use.regions);
    double sum = 0;
    for (const Holding& one : all)
        if (one.bytes > 0) {
            std::printf("  %-42s %20.0f%s\n", one.what.c_str(), one.bytes,
                        one.of_caller ? "  the program's" : "");
            sum += one.of_caller ? 0 : one.bytes;
        }
    std::printf("  %-42s %20.0f\n", "all, but for the program's", sum);
    std::printf("  %-42s %20.0f\n", "while it is in ARMCI_Malloc, beside that",
                bytes_while_allocating(use.shape));
}

void print_projection(const Profile& profile, const Machine& machine, Shape shape, const Assumptions& assume)
{
    const Projection found = project(profile, machine, shape, assume);
    std::printf("seconds of one process: %.6g; profile: %.6g on %" PRId64 " x %" PRId64 "\n", found.seconds,
                profile.seconds, profile.shape.nodes, profile.shape.per_node);
    for (const Part& part : found.parts)
        std::printf("  %-34s %14.6g  %5.1f%%\n", part.what.c_str(), part.seconds,
                    100 * part.seconds / found.seconds);
    if (!found.parts.empty())
        std::printf("most of it: %s\n", found.parts.front().what.c_str());
    if (found.counter > 0)
        std::printf("if all read-modify-writes go to one process, it serves them in %.6g s%s\n",
                    found.counter, found.counter > found.seconds ? ", and the job takes that long" : "");
}

} // namespace

int main(int argc, char** argv)
{
    const Options options = read_options({argv + 1, argv + argc});
    const Machine machine(points_of(options.machine));
    if (!options.check.empty())
        print_check(machine, points_of(options.check));
    const Shape shape = options.use.shape;
    if (shape.nodes == 0 || shape.per_node == 0) {
        if (shape.nodes != shape.per_node || options.check.empty())
            fail("give --nodes and --per-node");
        return 0;
    }
    for (const char* const name : {"barrier", "malloc+free", "sum"})
        if (!machine.knows(name, shape))
            std::fprintf(
                stderr,
                "scale_model: %s: no rows of jobs of several nodes, so its time is unknown; run `fences "
                "scale` on several nodes, too\n",
                name);
    std::printf("%" PRId64 " nodes of %" PRId64 " processes: %" PRId64 "\n", shape.nodes, shape.per_node,
                shape.processes());
    print_calls(machine, shape);
    print_memory(machine, options.use);
    if (!options.profile.empty()) {
        std::ifstream in(options.profile);
        std::string problem;
        const std::optional<Profile> profile = read_profile(in, problem);
        if (!profile)
            fail(options.profile + ": " + problem);
        if (!machine.knows("barrier", profile->shape))
            fail(options.profile +
                 " is of several nodes, and the machine's files have no barrier of such jobs");
        print_projection(*profile, machine, shape, options.assume);
    }
    return 0;
}
