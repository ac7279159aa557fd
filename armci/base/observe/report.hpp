// Report: what the statistics of all processes come to, and how it is shown.
#pragma once

#include "armci/base/observe/histogram.hpp"
#include "armci/base/observe/observe.hpp"
#include "armci/base/observe/regions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace armci::observe {

// Durations of one sort, in nanoseconds.
struct Durations {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t total = 0;
    std::uint64_t least = 0;
    std::uint64_t median = 0;
    std::uint64_t p99 = 0;
    std::uint64_t most = 0;
};

// Operations of one process on the memory of another, or its own.
struct PairTraffic {
    std::int32_t origin;
    std::int32_t target;
    std::uint64_t operations;
    std::uint64_t bytes;
};

// One process: what it moved, and the nanoseconds in operations and in waits.
struct ProcessShare {
    std::uint64_t operations;
    std::uint64_t bytes;
    std::uint64_t in_operations;
    std::uint64_t in_waits;
};

struct Report {
    static constexpr std::size_t most_listed = 8; // regions and pairs

    int processes = 0;
    int nodes = 0;
    std::uint64_t elapsed = 0;                                // of rank 0, nanoseconds
    std::array<std::array<Durations, 2>, kinds> operations{}; // by kind; by load/store, over the network
    std::array<Durations, waits> waited{};
    std::uint64_t allocations = 0;
    std::uint64_t allocated = 0;
    std::uint64_t switches = 0;
    std::uint64_t answers = 0;          // of the service threads
    std::uint64_t messages = 0;         // active ones, carried out
    std::vector<RegionTraffic> regions; // the busiest, by bytes
    std::vector<PairTraffic> pairs;
    std::vector<ProcessShare> shares; // by process
};

// The greatest over the mean; 1 where nothing is there to share.
double imbalance(const std::vector<ProcessShare>& shares, std::uint64_t ProcessShare::*what);

void print(const Report& report);
std::string to_json(const Report& report);
// To a file as JSON, or printed where there is no path or the file cannot be written.
void show(const Report& report, const std::string& path);

} // namespace armci::observe
