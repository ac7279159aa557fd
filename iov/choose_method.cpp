#include "armci/base/cost_model.hpp"
#include "armci/base/diagnostics.hpp"
#include "gmr/network/rma.hpp"
#include "iov/methods.hpp"

#include <array>
#include <optional>

namespace armci::iov {
namespace {

IovMethod wanted = IovMethod::automatic;
std::int64_t limit = 0;
bool checks = false;

int report_overlap(const Request& request, std::size_t which)
{
    return diag::reject(
        request.call,
        "segment %zu overlaps an earlier one; ARMCI_IOV_METHOD=%s writes no byte twice (auto and "
        "consrv do)",
        which, wanted == IovMethod::batched ? "batched" : "direct");
}

int report_mixture(const Request& request)
{
    return diag::reject(
        request.call,
        "the segments lie in several windows; ARMCI_IOV_METHOD=%s takes those of one (auto and "
        "consrv take all)",
        wanted == IovMethod::batched ? "batched" : "direct");
}

cost::Work work_of(const Request& request, const Survey& survey)
{
    constexpr std::array operations{cost::Operation::put, cost::Operation::get, cost::Operation::accumulate};
    return {cost::Call::vector, operations.at(static_cast<std::size_t>(request.kind)),
            survey.lowest.on_my_node ? cost::Path::mpi : cost::Path::network, survey.bytes, survey.segments};
}

// What is tried first of segments in one window that do not overlap: of least predicted time, where `rule`
// has a model to be held against. conservative takes what direct and batched do not.
IovMethod by_cost(const Request& request, const Survey& survey, bool may_join, IovMethod rule)
{
    const cost::Work work = work_of(request, survey);
    const std::optional<double> joined =
        may_join ? cost::predict(cost::Method::direct, work) : std::optional<double>();
    const std::optional<double> batched = cost::predict(cost::Method::batched, work);
    const std::optional<double> each = cost::predict(cost::Method::conservative, work);
    std::optional<double> least = rule == IovMethod::direct ? joined : batched;
    if (!least)
        return rule;
    IovMethod best = rule;
    const auto consider = [&](IovMethod method, const std::optional<double>& time) {
        if (time && *time < *least) {
            least = time;
            best = method;
        }
    };
    consider(IovMethod::direct, joined);
    consider(IovMethod::batched, batched);
    consider(IovMethod::conservative, each);
    return best;
}

IovMethod preferred(const Request& request, const Survey& survey, bool may_join)
{
    const bool asked = wanted == IovMethod::direct;
    const bool near = joins_near(request, survey);
    const bool short_enough = wanted == IovMethod::automatic && survey.longest <= gmr::rma::most_joined_bytes;
    const IovMethod rule =
        may_join && (asked || (short_enough && !near)) ? IovMethod::direct : IovMethod::batched;
    const bool by_models = cost::in_use() && wanted == IovMethod::automatic && !near;
    return by_models ? by_cost(request, survey, may_join, rule) : rule;
}

} // namespace

void set_policy(const Settings& settings)
{
    wanted = settings.iov_method;
    limit = settings.iov_batched_limit;
    checks = settings.iov_checks != 0;
}

std::int64_t batched_limit()
{
    return limit;
}

bool joins_near(const Request& request, const Survey& survey)
{
    return request.kind == Kind::get && survey.solid && wanted == IovMethod::automatic &&
           gmr::rma::gets_by_spans();
}

bool checks_segments()
{
    return checks && wanted != IovMethod::automatic;
}

int choose_method(const Request& request, const Survey& survey, IovMethod& method)
{
    method = IovMethod::conservative;
    const bool strict = checks_segments();
    if (wanted == IovMethod::conservative)
        return 0;
    if (!survey.one_window)
        return strict ? report_mixture(request) : 0;
    // An aggregate handle joins segments by itself.
    if (request.issue.handle != nullptr && request.issue.handle->aggregate != 0)
        return 0;
    const bool on_itself = is_on_itself(request, survey); // each segment that meets its own target is copied
    const bool may_join = !on_itself && survey.one_type && gmr::rma::joins_blocks() && survey.segments > 1;
    const IovMethod first = preferred(request, survey, may_join);
    if (first == IovMethod::conservative)
        return 0;
    const bool join = first == IovMethod::direct;
    // MPI adds in any order, and direct names no byte twice in one operation.
    if (request.kind != Kind::accumulate || (join && strict)) {
        std::size_t which = 0;
        if (overlap(request, survey, which))
            return strict ? report_overlap(request, which) : 0;
    }
    if (!on_itself)
        method = first;
    return 0;
}

} // namespace armci::iov
