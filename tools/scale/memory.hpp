// Memory: what one process holds, by what it grows with. rma_per_process holds the library's part against a
// job's counts; docs/design/0016 explains the tables.
#pragma once

#include "tools/scale/machine.hpp"
#include "tools/scale/shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace armci::scale {

struct Use {
    Shape shape;
    std::int64_t regions = 0; // symmetric ones, of the world
    std::int64_t runs = 1;    // of processes with equal parts, in each region
    std::int64_t targets = 0; // on other nodes that a process has written to lately
};

struct Holding {
    std::string what;
    double bytes = 0;
    bool of_caller = false; // the interface makes the program hold it
};

// `machine` tells what MPI takes; it may know nothing.
std::vector<Holding> held(const Use& use, const Machine& machine);

// Bytes of the library for each further process of the job; all parts of a region count as equal.
double bytes_for_each_process(Shape shape);
double bytes_for_each_region(Shape shape);
double bytes_for_each_run();
// A process while it is in ARMCI_Malloc: the caller's array, and room for records that may come.
double bytes_while_allocating(Shape shape);

} // namespace armci::scale
