#include "gmr/network/ordering.hpp"

#include "armci/base/mpi_traits.hpp"

namespace armci::gmr::ordering {
namespace {

bool accumulates = true;

} // namespace

void set(Ordering ordering)
{
    accumulates = ordering != Ordering::flush;
}

bool by_accumulates()
{
    return accumulates;
}

Access put_access(std::uint64_t bytes)
{
    return accumulates || bytes <= traits::in_use.ordered_put_bytes ? Access::ordered_put : Access::put;
}

Access get_access()
{
    return accumulates || traits::in_use.ordered_put_bytes > 0 ? Access::ordered_get : Access::get;
}

} // namespace armci::gmr::ordering
