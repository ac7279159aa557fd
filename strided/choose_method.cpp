#include "armci/base/cost_model.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/transfer/messaged.hpp"
#include "strided/methods.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace armci::strided {
namespace {

StridedMethod wanted = StridedMethod::automatic;

// Open MPI takes other bytes for a vector of stride -1 (docs/mpi-facts.md).
bool steps_back_by_a_byte(const Shape& shape)
{
    return std::any_of(shape.level.begin(), shape.level.begin() + shape.levels, [](const Level& level) {
        return level.source_stride == -1 || level.target_stride == -1;
    });
}

bool types_are_usable(const Transfer& transfer)
{
    const armci_hdl_t* const handle = transfer.request.issue.handle;
    const bool joined_by_handle = transfer.kind == Kind::get && handle != nullptr && handle->aggregate != 0;
    return gmr::rma::joins_blocks() && transfer.shape.segment <= INT32_MAX && !joined_by_handle &&
           !steps_back_by_a_byte(transfer.shape) && !may_overlap<&Level::target_stride>(transfer.shape);
}

// Writes that direct does not take.
bool must_pack(const Transfer& transfer)
{
    if (transfer.kind == Kind::get)
        return false;
    const bool scaled = transfer.kind == Kind::accumulate && !transfer.accumulation->has_unit_scale();
    return transfer.request.issue.handle != nullptr || scaled;
}

// By derived types: from packed sources with a handle, where they are scaled and so copied anyway, and where
// it is asked for.
Method by_types(const Transfer& transfer)
{
    const bool pack = must_pack(transfer) || wanted == StridedMethod::packed;
    if (transfer.kind == Kind::get || !pack)
        return Method::direct;
    return transfer.shape.segment <= most_packed_bytes ? Method::packed : Method::segments;
}

// Gets, where MPI does not join segments well or it is asked for.
bool spans_are_best(const Transfer& transfer)
{
    return transfer.kind == Kind::get && (wanted == StridedMethod::spans ||
                                          (wanted == StridedMethod::automatic && gmr::rma::gets_by_spans()));
}

// MPI adds in any order; what is put or got twice keeps that of the caller.
bool may_be_segments(const Transfer& transfer)
{
    return transfer.kind == Kind::accumulate || !may_overlap<&Level::target_stride>(transfer.shape);
}

// A shape of several segments, not on itself.
Method by_rule(const Transfer& transfer, bool types)
{
    const Shape& shape = transfer.shape;
    if (types &&
        (wanted == StridedMethod::direct || wanted == StridedMethod::packed ||
         (wanted != StridedMethod::segments && wanted != StridedMethod::spans && !spans_are_best(transfer) &&
          static_cast<std::uint64_t>(shape.segment) <= gmr::rma::most_joined_bytes)))
        return by_types(transfer);
    if (may_be_segments(transfer))
        return spans_are_best(transfer) ? Method::spans : Method::segments;
    return shape.segment <= INT32_MAX ? Method::iov : Method::one_by_one;
}

// The methods that the choice is among.
struct Candidate {
    Method method;
    cost::Method model;
};
constexpr std::array candidates{
    Candidate{Method::direct, cost::Method::direct}, Candidate{Method::packed, cost::Method::packed},
    Candidate{Method::segments, cost::Method::segments}, Candidate{Method::spans, cost::Method::spans},
    Candidate{Method::iov, cost::Method::iov}};

bool is_legal(Method method, const Transfer& transfer, bool types)
{
    switch (method) {
    case Method::direct:
        return types && !must_pack(transfer);
    case Method::packed:
        return types && transfer.kind != Kind::get && transfer.shape.segment <= most_packed_bytes;
    case Method::segments:
        return may_be_segments(transfer);
    case Method::spans:
        return transfer.kind == Kind::get && may_be_segments(transfer);
    case Method::iov:
        return transfer.shape.segment <= INT32_MAX;
    case Method::one_by_one:
        break;
    }
    return false;
}

cost::Work work_of(const Transfer& transfer)
{
    constexpr std::array operations{cost::Operation::put, cost::Operation::get, cost::Operation::accumulate};
    return {cost::Call::strided, operations.at(static_cast<std::size_t>(transfer.kind)),
            transfer.reach.on_my_node ? cost::Path::mpi : cost::Path::network,
            static_cast<std::uint64_t>(transfer.shape.bytes()),
            static_cast<std::uint64_t>(transfer.shape.segments())};
}

// The legal method of least predicted time; the rule's where that has no model to be held against.
Method by_cost(const Transfer& transfer, bool types, Method rule)
{
    const cost::Work work = work_of(transfer);
    Method best = rule;
    std::optional<double> least;
    bool rule_has_model = false;
    for (const Candidate& one : candidates) {
        if (!is_legal(one.method, transfer, types))
            continue;
        const std::optional<double> time = cost::predict(one.model, work);
        if (!time)
            continue;
        rule_has_model = rule_has_model || one.method == rule;
        if (!least || *time < *least || (*time == *least && one.method == rule)) {
            least = time;
            best = one.method;
        }
    }
    return rule_has_model ? best : rule;
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
    const Method rule = by_rule(transfer, types);
    return cost::in_use() && wanted == StridedMethod::automatic ? by_cost(transfer, types, rule) : rule;
}

int over_the_network(const Transfer& transfer)
{
    if (gmr::remote::sends_messages()) {
        as_messages(transfer);
        return 0;
    }
    switch (choose_method(transfer)) {
    case Method::iov:
        return as_iov(transfer);
    case Method::direct:
        direct(transfer);
        break;
    case Method::packed:
        packed(transfer);
        break;
    case Method::one_by_one:
        one_by_one(transfer);
        break;
    case Method::segments:
        by_segments(transfer);
        break;
    case Method::spans:
        by_spans(transfer);
        break;
    }
    return 0;
}

} // namespace armci::strided
