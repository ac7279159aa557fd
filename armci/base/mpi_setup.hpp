// MPI setup: what this library tells MPI before MPI_Init, when it is loaded (mpi_setup.cpp says what and
// why).
#pragma once

namespace armci::setup {

// The value of OMPI_MCA_osc that this library has set, or null: the user's stands, or MPI's own.
const char* osc_set_here();

// True where Open MPI takes UCX for messages, as far as its parameters and the host's devices tell.
bool takes_ucx_for_messages();

} // namespace armci::setup
