// One component: Open MPI chooses the component of its one-sided operations on each process by itself, by
// that process's parameters and level of threads. Where two processes choose differently, MPI_Win_create
// waits for ever. Neither can be agreed on before MPI starts, so the library looks afterwards.
#pragma once

#include <mpi.h>

namespace armci {

// Collective over `world`, before the first window over it. Ends the job where components are seen to differ,
// and warns where they may. Costs one reduction where nothing differs, and nothing with other MPI libraries.
void require_one_component(MPI_Comm world);

} // namespace armci
