// Flag: an int of a region that is raised after data was put; whoever sees the flag sees the data.
// Ordering: on the node raise() is a release store; the reader polls with acquire (on x86-64 any load will
// do). Over the network the data is complete at the target before the flag is sent.
#pragma once

#include "gmr/memory/target.hpp"

namespace armci::gmr {

class Flag {
public:
    // Finds the flag before any data moves; a mistake is reported and left in error().
    Flag(const char* call, int* flag, int process);

    int error() const { return target_.error; }
    void raise(int value) const;

private:
    int* flag_; // at the target process
    Target target_;
};

} // namespace armci::gmr
