// Probe: looks at start-up at what MPI uses (armci/base/mpi_traits.hpp), and asks it for what MPI libraries
// have been seen to get wrong on some network, and turns off what fails: accumulates and fetch-and-ops that
// are not atomic between a process itself, its node and other nodes (ompi 14175, 14181), and transfers of
// derived types; and whether puts are faster than accumulates. A few dozen small operations for each process;
// once in a job.
#pragma once

#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"

#include <mpi.h>

namespace armci::gmr {

// Collective over `world`, for jobs that use MPI windows. Replaces settings that the traits do not bear.
// Then, unless ARMCI_PROBE is 0: where atomics fail under the epochs of `settings` but hold under exclusive
// locks, it chooses those, and warns; where they never hold, it ends the job. Where derived types fail they
// are not used (rma::use_blocks). Chooses ARMCI_ORDERING=auto.
void probe_mpi(MPI_Comm world, const Topology& topology, Settings& settings);

} // namespace armci::gmr
