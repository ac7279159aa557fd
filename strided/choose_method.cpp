#include "gmr/rma.hpp"
#include "strided/methods.hpp"

namespace armci::strided {
namespace {

StridedMethod wanted = StridedMethod::automatic;

bool types_are_usable(const Transfer& transfer)
{
    const armci_hdl_t* const handle = transfer.request.issue.handle;
    const bool joined_by_handle = transfer.kind == Kind::get && handle != nullptr && handle->aggregate != 0;
    return gmr::rma::joins_blocks() && transfer.shape.segment <= INT32_MAX && !joined_by_handle &&
           !may_overlap<&Level::target_stride>(transfer.shape);
}

// By derived types: from packed sources with a handle, where they are scaled and so copied anyway, and where
// it is asked for.
Method by_types(const Transfer& transfer)
{
    const bool scaled = transfer.kind == Kind::accumulate && !transfer.accumulation->has_unit_scale();
    const bool pack = transfer.request.issue.handle != nullptr || scaled || wanted == StridedMethod::packed;
    if (transfer.kind == Kind::get || !pack)
        return Method::direct;
    return transfer.shape.segment <= most_packed_bytes ? Method::packed : Method::segments;
}

} // namespace

void set_policy(const Settings& settings)
{
    wanted = settings.strided_method;
}

Method choose_method(const Transfer& transfer)
{
    const Shape& shape = transfer.shape;
    const bool types = shape.levels > 0 && types_are_usable(transfer);
    if (transfer.on_itself)
        return types && transfer.kind != Kind::get && shape.segment <= most_packed_bytes ? Method::packed
                                                                                         : Method::one_by_one;
    if (wanted == StridedMethod::iov && shape.segment <= INT32_MAX)
        return Method::iov;
    if (shape.levels == 0)
        return Method::segments;
    if (types && (wanted == StridedMethod::direct || wanted == StridedMethod::packed ||
                  static_cast<std::uint64_t>(shape.segment) <= gmr::rma::most_joined_bytes))
        return by_types(transfer);
    // MPI adds in any order; what is put or got twice keeps that of the caller.
    if (transfer.kind == Kind::accumulate || !may_overlap<&Level::target_stride>(shape))
        return Method::segments;
    return shape.segment <= INT32_MAX ? Method::iov : Method::one_by_one;
}

} // namespace armci::strided
