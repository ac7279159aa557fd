#include "armci/base/observe/report.hpp"

#include "armci/base/diagnostics.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstring>

namespace armci::observe {
namespace {

constexpr const char* path_names[] = {"load/store", "network"};
constexpr double second = 1e9;

double as_double(std::uint64_t value)
{
    return static_cast<double>(value);
}

// "850 ns", "1.2 us", "34 ms", "5.6 s": three digits and a unit.
std::string duration_text(std::uint64_t nanoseconds)
{
    struct Unit {
        double nanoseconds;
        const char* name;
    };
    constexpr Unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    const double value = as_double(nanoseconds);
    for (const Unit& unit : units)
        if (value >= unit.nanoseconds || unit.nanoseconds == 1) {
            char text[32];
            std::snprintf(text, sizeof text, "%.3g %s", value / unit.nanoseconds, unit.name);
            return text;
        }
    return "";
}

void print_durations(const char* name, const char* path, const Durations& one)
{
    diag::say("  %-12s %-10s %12" PRIu64 " %16" PRIu64 " %10.3f %9s %9s %9s %9s", name, path, one.count,
              one.bytes, as_double(one.total) / second, duration_text(one.least).c_str(),
              duration_text(one.median).c_str(), duration_text(one.p99).c_str(),
              duration_text(one.most).c_str());
}

void print_share(const char* what, const std::vector<ProcessShare>& shares,
                 std::uint64_t ProcessShare::*member, double unit)
{
    double sum = 0;
    for (const ProcessShare& one : shares)
        sum += as_double(one.*member);
    if (sum <= 0)
        return;
    const auto [least, most] =
        std::minmax_element(shares.begin(), shares.end(), [&](const ProcessShare& a, const ProcessShare& b) {
            return a.*member < b.*member;
        });
    diag::say("  %-24s %14.6g %14.6g %14.6g  process %td has the most, %.2f times the mean", what,
              as_double((*least).*member) / unit, sum / static_cast<double>(shares.size()) / unit,
              as_double((*most).*member) / unit, most - shares.begin(), imbalance(shares, member));
}

void append(std::string& text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void append(std::string& text, const char* format, ...)
{
    char line[512];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text += line;
}

// The elements of an array, each on a line of its own.
template <class Range, class Each>
void append_array(std::string& text, const char* name, const Range& range, Each each)
{
    text += "  \"" + std::string(name) + "\": [";
    const char* separator = "\n    ";
    for (const auto& one : range) {
        text += separator;
        each(one);
        separator = ",\n    ";
    }
    text += "\n  ]";
}

void append_durations(std::string& text, const Durations& one)
{
    append(text,
           "\"count\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": %.9f, \"least_ns\": %" PRIu64
           ", \"median_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64 ", \"most_ns\": %" PRIu64 "}",
           one.count, one.bytes, as_double(one.total) / second, one.least, one.median, one.p99, one.most);
}

struct NamedDurations {
    const char* name;
    const char* path;
    const Durations* durations;
};

std::vector<NamedDurations> operations_seen(const Report& report)
{
    std::vector<NamedDurations> result;
    for (std::size_t path = 0; path < 2; ++path)
        for (std::size_t kind = 0; kind < kinds; ++kind)
            if (report.operations[kind][path].count > 0)
                result.push_back(
                    {name(static_cast<Kind>(kind)), path_names[path], &report.operations[kind][path]});
    return result;
}

std::vector<NamedDurations> waits_seen(const Report& report)
{
    std::vector<NamedDurations> result;
    for (std::size_t wait = 0; wait < waits; ++wait)
        if (report.waited[wait].count > 0)
            result.push_back({name(static_cast<Wait>(wait)), "", &report.waited[wait]});
    return result;
}

} // namespace

double imbalance(const std::vector<ProcessShare>& shares, std::uint64_t ProcessShare::*what)
{
    double sum = 0;
    double most = 0;
    for (const ProcessShare& one : shares) {
        sum += as_double(one.*what);
        most = std::max(most, as_double(one.*what));
    }
    return sum > 0 ? most * static_cast<double>(shares.size()) / sum : 1;
}

void print(const Report& report)
{
    diag::say("statistics, all processes: %d on %d nodes, %.3f s", report.processes, report.nodes,
              as_double(report.elapsed) / second);
    diag::say("  %-12s %-10s %12s %16s %10s %9s %9s %9s %9s", "operation", "path", "operations", "bytes",
              "seconds", "least", "median", "p99", "most");
    for (const NamedDurations& one : operations_seen(report))
        print_durations(one.name, one.path, *one.durations);
    for (const NamedDurations& one : waits_seen(report))
        print_durations(one.name, "waited", *one.durations);
    diag::say("  %-12s %-10s %12" PRIu64 " %16" PRIu64, "allocation", "(each)", report.allocations,
              report.allocated);
    if (report.switches > 0)
        diag::say("  %-23s %12" PRIu64, "atomics went to MPI", report.switches);
    if (report.answers > 0)
        diag::say("  %-23s %12" PRIu64, "answers while computing", report.answers);
    if (report.messages > 0)
        diag::say("  %-23s %12" PRIu64, "messages carried out", report.messages);
    if (report.processes > 1) {
        diag::say("  %-24s %14s %14s %14s", "by process", "least", "mean", "most");
        print_share("bytes moved", report.shares, &ProcessShare::bytes, 1);
        print_share("seconds in operations", report.shares, &ProcessShare::in_operations, second);
        print_share("seconds waited", report.shares, &ProcessShare::in_waits, second);
    }
    for (const RegionTraffic& one : report.regions)
        diag::say("  region of %" PRIu64 " bytes, allocation %" PRIu64
                  " of %d processes, first on process %d: %" PRIu64 " operations, %" PRIu64 " bytes",
                  one.region.bytes, one.region.number, one.region.members, one.region.first_process,
                  one.operations, one.bytes);
    for (const PairTraffic& one : report.pairs)
        diag::say("  process %d on memory of process %d: %" PRIu64 " operations, %" PRIu64 " bytes",
                  one.origin, one.target, one.operations, one.bytes);
}

std::string to_json(const Report& report)
{
    std::string text;
    append(
        text,
        "{\n  \"library\": \"armci-rma %s\",\n  \"processes\": %d,\n  \"nodes\": %d,\n  \"seconds\": %.9f,\n",
        ARMCI_RMA_VERSION, report.processes, report.nodes, as_double(report.elapsed) / second);
    append_array(text, "operations", operations_seen(report), [&](const NamedDurations& one) {
        append(text, "{\"operation\": \"%s\", \"path\": \"%s\", ", one.name, one.path);
        append_durations(text, *one.durations);
    });
    text += ",\n";
    append_array(text, "waits", waits_seen(report), [&](const NamedDurations& one) {
        append(text, "{\"wait\": \"%s\", ", one.name);
        append_durations(text, *one.durations);
    });
    append(text,
           ",\n  \"allocations\": {\"count\": %" PRIu64 ", \"bytes\": %" PRIu64
           "},\n  \"switches_to_mpi\": %" PRIu64 ",\n  \"answers_while_computing\": %" PRIu64
           ",\n  \"messages_carried_out\": %" PRIu64 ",\n",
           report.allocations, report.allocated, report.switches, report.answers, report.messages);
    append_array(text, "regions", report.regions, [&](const RegionTraffic& one) {
        append(text,
               "{\"first_process\": %d, \"start\": \"0x%" PRIx64 "\", \"allocation\": %" PRIu64
               ", \"processes\": %d, \"size\": %" PRIu64 ", \"operations\": %" PRIu64 ", \"bytes\": %" PRIu64
               "}",
               one.region.first_process, one.region.start, one.region.number, one.region.members,
               one.region.bytes, one.operations, one.bytes);
    });
    text += ",\n";
    append_array(text, "pairs", report.pairs, [&](const PairTraffic& one) {
        append(text, "{\"origin\": %d, \"target\": %d, \"operations\": %" PRIu64 ", \"bytes\": %" PRIu64 "}",
               one.origin, one.target, one.operations, one.bytes);
    });
    text += ",\n";
    append_array(text, "by_process", report.shares, [&](const ProcessShare& one) {
        append(text,
               "{\"operations\": %" PRIu64 ", \"bytes\": %" PRIu64
               ", \"operation_seconds\": %.9f, \"wait_seconds\": %.9f}",
               one.operations, one.bytes, as_double(one.in_operations) / second,
               as_double(one.in_waits) / second);
    });
    append(text,
           ",\n  \"imbalance\": {\"bytes\": %.4f, \"operation_seconds\": %.4f, \"wait_seconds\": %.4f}\n}\n",
           imbalance(report.shares, &ProcessShare::bytes),
           imbalance(report.shares, &ProcessShare::in_operations),
           imbalance(report.shares, &ProcessShare::in_waits));
    return text;
}

void show(const Report& report, const std::string& path)
{
    if (path.empty())
        return print(report);
    const std::string text = to_json(report);
    std::FILE* const file = std::fopen(path.c_str(), "w");
    const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int error = errno;
    if (file != nullptr && std::fclose(file) == 0 && written)
        return;
    diag::warn("ARMCI_STATS: %s cannot be written: %s; this is what it would have said", path.c_str(),
               std::strerror(error));
    print(report);
}

} // namespace armci::observe
