// How fast the paths of a self-test's job are.
#pragma once

#include "tools/selftest/job.hpp"

namespace armci::tools {

struct Speeds {
    double put = 0; // of 8 bytes, seconds
    double get = 0;
    double fetch_and_add = 0;
    double put_rate = 0; // of 1 MiB, bytes a second
    double get_rate = 0;
    double patch_rate = 0; // strided get of 1 MiB in rows of 512 bytes
};

// By one process, while the others wait.
Speeds measure(const Partner& partner);

// How long, in seconds, process 0 waits for a get from another that computes and calls nothing meanwhile; -1
// on the others, and where there is no other. Collective.
double answer_of_a_busy_process(const Job& job);

} // namespace armci::tools
