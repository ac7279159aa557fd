#include "armci/base/diagnostics.hpp"
#include "gmr/rma.hpp"
#include "iov/methods.hpp"

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

int choose_method(const Request& request, const Survey& survey, IovMethod& method)
{
    method = IovMethod::conservative;
    const bool strict = checks && wanted != IovMethod::automatic;
    if (wanted == IovMethod::conservative)
        return 0;
    if (!survey.one_window)
        return strict ? report_mixture(request) : 0;
    // An aggregate handle joins segments by itself.
    if (request.issue.handle != nullptr && request.issue.handle->aggregate != 0)
        return 0;
    const bool on_itself = is_on_itself(request, survey); // each segment that meets its own target is copied
    const bool join = !on_itself && direct_is_usable(request) && survey.segments > 1 &&
                      (wanted == IovMethod::direct ||
                       (wanted == IovMethod::automatic && survey.longest <= gmr::rma::most_joined_bytes));
    // MPI adds in any order, but a derived type must name no byte twice.
    if (request.kind != Kind::accumulate || join) {
        std::size_t which = 0;
        if (overlap(request, survey, which)) {
            if (strict)
                return report_overlap(request, which);
            if (request.kind == Kind::accumulate && !on_itself)
                method = IovMethod::batched;
            return 0;
        }
    }
    if (!on_itself)
        method = join ? IovMethod::direct : IovMethod::batched;
    return 0;
}

} // namespace armci::iov
