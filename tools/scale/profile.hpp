// Profile: what a job did, as ARMCI_STATS wrote it.
#pragma once

#include "tools/scale/shape.hpp"

#include <istream>
#include <map>
#include <optional>
#include <string>

namespace armci::scale {

struct Sum {
    double count = 0;
    double bytes = 0;
    double seconds = 0;

    Sum& operator+=(const Sum& other)
    {
        count += other.count;
        bytes += other.bytes;
        seconds += other.seconds;
        return *this;
    }
};

struct Profile {
    struct Operation {
        Sum load_store;
        Sum network;
    };

    Shape shape;
    double seconds = 0;                          // from start to end
    std::map<std::string, Operation> operations; // of all processes, by kind
    std::map<std::string, Sum> waits;            // by kind of wait
    double allocations = 0;                      // of all processes
};

// The profile, or nothing and in `problem` what is wrong.
std::optional<Profile> read_profile(std::istream& in, std::string& problem);

} // namespace armci::scale
