// Projection: the seconds of one process of a job at another number of nodes and processes, part by part.
//
// - Computing takes what it took. With `fixed_work` the job as a whole does what it did, and otherwise each
//   process.
// - Operations of a process spread over all processes, but for those that stay on its node in jobs of any
//   size: what the profile has on the node beyond an even spread. A job of one node does not tell; then
//   `stays` is that share.
// - An operation costs its mean in the profile where the profile has it on that path, and the machine's cost
//   of its mean size otherwise.
// - Collective calls cost what the machine says. What a process waited in them beyond that was for others
//   that came late, and stays. Other waits stay as they were.
// - One counter for all: the time in which its process serves all read-modify-writes of the job, if all of
//   them go there. The job takes no less.
#pragma once

#include "tools/scale/machine.hpp"
#include "tools/scale/profile.hpp"
#include "tools/scale/shape.hpp"

#include <string>
#include <vector>

namespace armci::scale {

struct Part {
    std::string what;
    double seconds = 0;
};

struct Projection {
    std::vector<Part> parts; // of one process, longest first
    double seconds = 0;      // their sum
    double counter = 0;      // the least that one counter for all takes
};

struct Assumptions {
    bool fixed_work = false;
    double stays = 0;
};

Projection project(const Profile& profile, const Machine& machine, Shape shape, const Assumptions& assume);

} // namespace armci::scale
