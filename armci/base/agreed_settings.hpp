// Agreed settings: what holds for all processes of a job. Each process has an environment of its own, and
// not every launcher hands the user's to other hosts. Settings decide what is done collectively, so the
// library uses none before its processes agree on them.
#pragma once

#include "armci/base/settings.hpp"

#include <mpi.h>

namespace armci::settings {

// Collective over `world`, of which rank r is process r in messages. Each variable has the value of the
// lowest process that has the variable. Costs one reduction of two words where all environments say the same.
// With `complain`, which is alike on all, process 0 warns as from() does, and once for each setting that
// differs.
Settings agreed(MPI_Comm world, bool complain);

// Variables as one text, and back.
std::string packed(const std::vector<Variable>& variables);
std::vector<Variable> unpacked(std::string_view text, int process);

} // namespace armci::settings
