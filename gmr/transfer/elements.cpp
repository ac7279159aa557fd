#include "gmr/transfer/elements.hpp"

namespace armci::gmr::remote {

MPI_Datatype mpi_type(kernels::Element element)
{
    switch (element) {
    case kernels::Element::int_:
        return MPI_INT;
    case kernels::Element::long_:
        return MPI_LONG;
    case kernels::Element::float_:
    case kernels::Element::complex_:
        return MPI_FLOAT; // a sum of complex numbers is a sum of their parts
    default:
        return MPI_DOUBLE;
    }
}

Access access_of(kernels::Element element)
{
    switch (element) {
    case kernels::Element::int_:
        return Access::accumulate_int;
    case kernels::Element::long_:
        return Access::accumulate_long;
    case kernels::Element::float_:
    case kernels::Element::complex_:
        return Access::accumulate_float;
    default:
        return Access::accumulate_double;
    }
}

} // namespace armci::gmr::remote
