// Elements: what MPI, and the order of operations, take the elements of an accumulate for.
#pragma once

#include "gmr/network/access.hpp"
#include "gmr/node/kernels/accumulate.hpp"

#include <mpi.h>

namespace armci::gmr::remote {

MPI_Datatype mpi_type(kernels::Element element);
Access access_of(kernels::Element element); // that accumulates it

} // namespace armci::gmr::remote
