#include "gmr/network/atomics.hpp"

#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/rma.hpp"

namespace armci::gmr::atomics {

void fetch_and_op_at_once(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand,
                          void* result)
{
    completion::begin(target, mpi::size_of(type), Access::fetch_and_op);
    rma::fetch_and_op(target, type, op, operand, result);
    completion::end_complete(target);
}

void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result)
{
    if (!target.window->locks_all() || target.completes_at_once() || !traits::in_use.fetches_by_request) {
        fetch_and_op_at_once(target, type, op, operand, result);
        return;
    }
    const std::uint64_t bytes = mpi::size_of(type);
    completion::begin(target, bytes, Access::fetch_and_op);
    MPI_Request request = MPI_REQUEST_NULL;
    rma::fetch_and_op(target, type, op, operand, result, &request);
    completion::end(target, bytes, Access::fetch_and_op);
    completion::gets_began(1);
    mpi::finish(request);
    completion::gets_ended(1);
}

void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result)
{
    completion::begin(target, mpi::size_of(type), Access::fetch_and_op);
    rma::compare_and_swap(target, type, compare, replacement, result);
    completion::end_complete(target);
}

} // namespace armci::gmr::atomics
