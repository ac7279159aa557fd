// Makes random legal programs: it proposes steps, and rules.hpp decides.
#pragma once

#include "tests/oracle/program.hpp"

namespace oracle {

struct Limits {
    int ranks = 2, threads = 1;
    bool has_outsiders = false; // processes outside of a region's group reach it: on one node only
    int weight = 100;           // percent of the usual number of steps
    bool has_bursts_only = false;
    bool is_for_peer = false; // only what another implementation of the interface has, too (README.md)
};

Program generate(std::uint64_t seed, const Limits& limits);

} // namespace oracle
