// Collectives: the messages between nodes that each collective call sends, as armci/base/doubling sends them.
// One process of each node speaks. messages_scale_counts holds these counts against those of a job.
#pragma once

#include "tools/scale/shape.hpp"

#include <cstdint>

namespace armci::scale {

struct Messages {
    std::int64_t all = 0;      // of the whole job
    std::int64_t in_a_row = 0; // that follow one another: each waits for the one before
    std::int64_t bytes = 0;    // of all
};

// Doublings that reach so many nodes.
std::int64_t steps(std::int64_t nodes);

Messages barrier(Shape shape);
// Gathers equal records of so many bytes. Each further run of equal records adds its bytes to the messages
// that carry it.
Messages exchange(Shape shape, std::int64_t record);
Messages allocation(Shape shape); // ARMCI_Malloc that finds room in the windows there are
Messages release(Shape shape);    // ARMCI_Free
// Of at most 64 KiB; longer ones are MPI's where each process has a core. Sums and the like, for all:
Messages combination(Shape shape, std::int64_t bytes);
Messages broadcast(Shape shape, std::int64_t bytes);

} // namespace armci::scale
