#include "armci/base/start_watch.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/side_thread.hpp"

#include <cstdlib>

namespace armci {
namespace {

constexpr std::chrono::seconds after_the_speaker{5};

const char* chosen(const char* variable)
{
    const char* const value = std::getenv(variable);
    return value == nullptr ? "not set" : value;
}

} // namespace

StartWatch::StartWatch(int me, std::chrono::seconds patience)
{
    if (patience.count() > 0)
        thread_ =
            start_beside("to watch the start",
                         [this, wait = me == 0 ? patience : patience + after_the_speaker] { watch(wait); });
}

StartWatch::~StartWatch()
{
    {
        const std::lock_guard lock(guard_);
        ended_ = true;
    }
    ended_changed_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

void StartWatch::watch(std::chrono::seconds patience)
{
    std::unique_lock lock(guard_);
    if (ended_changed_.wait_for(lock, patience, [this] { return ended_; }))
        return;
    using traits::Component;
    const Component component = traits::in_use.component;
    if (component == Component::mpich)
        diag::tell_at_once(
            "ARMCI_Init: MPI's one-sided operations did not answer within %lld s; try another transport "
            "(UCX_TLS, or FI_PROVIDER), or give a slow start more time by ARMCI_START_TIMEOUT",
            static_cast<long long>(patience.count()));
    else
        diag::tell_at_once(
            "ARMCI_Init: MPI's one-sided operations (component %s) did not answer within %lld s; "
            "OMPI_MCA_osc is %s and OMPI_MCA_pml is %s: over UCX '--mca osc ucx' answers, elsewhere "
            "'--mca osc ^ucx,rdma' (Open MPI 4) or none; or give a slow start more time by "
            "ARMCI_START_TIMEOUT",
            traits::name_of(component), static_cast<long long>(patience.count()), chosen("OMPI_MCA_osc"),
            chosen("OMPI_MCA_pml"));
    diag::end_job_beside();
}

} // namespace armci
