#include "gmr/rma.hpp"
#include "strided/methods.hpp"

namespace armci::strided {
namespace {

StridedMethod wanted = StridedMethod::automatic;

// Longer segments go at least as fast one by one (docs/design/0006).
constexpr std::int64_t most_joined_bytes = 32 * 1024;

bool types_are_usable(const Transfer& transfer)
{
    const Shape& shape = transfer.shape;
    if (!gmr::rma::joins_blocks() || shape.segment > INT32_MAX)
        return false;
    if (transfer.kind == Kind::get)
        return transfer.request.issue.handle == nullptr && !may_overlap<&Level::target_stride>(shape);
    return !may_overlap<&Level::target_stride>(shape);
}

} // namespace

void set_policy(const Settings& settings)
{
    wanted = settings.strided_method;
}

Method choose_method(const Transfer& transfer)
{
    const Shape& shape = transfer.shape;
    if (shape.levels == 0 && wanted != StridedMethod::iov)
        return Method::segments;
    const bool writes_with_handle = transfer.kind != Kind::get && transfer.request.issue.handle != nullptr;
    switch (wanted) {
    case StridedMethod::iov:
        return Method::iov;
    case StridedMethod::direct:
    case StridedMethod::packed:
        if (!types_are_usable(transfer))
            return Method::iov;
        return writes_with_handle || (wanted == StridedMethod::packed && transfer.kind != Kind::get)
                   ? Method::packed
                   : Method::direct;
    default:
        break;
    }
    if (shape.segment <= most_joined_bytes && types_are_usable(transfer))
        return writes_with_handle ? Method::packed : Method::direct;
    // MPI adds in any order; what is put or got twice keeps that of the caller.
    if (transfer.kind != Kind::accumulate && may_overlap<&Level::target_stride>(shape))
        return Method::iov;
    return Method::segments;
}

} // namespace armci::strided
