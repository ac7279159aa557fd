#include "tools/selftest/job.hpp"

#include "armci/include/armci.h"
#include "armci/include/message.h"
#include "armci/runtime.hpp"

#include <algorithm>
#include <limits>

namespace armci::tools {
namespace {

constexpr std::size_t area_elements = (std::size_t{1} << 17) + 512; // 1 MiB, and the last row's gap
constexpr std::size_t common_elements = 512;
constexpr const char* where[] = {"itself", "on its node", "on another node"};

} // namespace

Job::Job() : me_(armci_msg_me()), processes_(armci_msg_nproc()), nodes_(armci_domain_count(ARMCI_DOMAIN_SMP))
{
    const gmr::Translation* const network = running_or_end("armci_info").memory().network();
    load_store_ = network == nullptr || network->load_store();

    // By node; on each the first few, as many as the smallest node has, have partners on the next node.
    std::vector<std::vector<int>> members(static_cast<std::size_t>(nodes_));
    for (int process = 0; process < processes_; ++process)
        members[static_cast<std::size_t>(armci_domain_id(ARMCI_DOMAIN_SMP, process))].push_back(process);
    std::size_t paired = std::numeric_limits<std::size_t>::max();
    for (const auto& node : members)
        paired = std::min(paired, node.size());
    const auto my_node = static_cast<std::size_t>(armci_domain_my_id(ARMCI_DOMAIN_SMP));
    const std::vector<int>& near = members[my_node];
    const auto place = static_cast<std::size_t>(std::find(near.begin(), near.end(), me_) - near.begin());
    const auto at = [&](std::size_t node) { return members[node % members.size()][place]; };

    partners_[0].process = origins_[0] = me_;
    if (near.size() > 1) {
        partners_[1].process = near[(place + 1) % near.size()];
        origins_[1] = near[(place + near.size() - 1) % near.size()];
    }
    if (members.size() > 1 && place < paired) {
        partners_[2].process = at(my_node + 1);
        origins_[2] = at(my_node + members.size() - 1);
    }

    memory_.resize(static_cast<std::size_t>(processes_));
    ARMCI_Malloc(memory_.data(), static_cast<armci_size_t>(
                                     (partners_.size() * area_elements + common_elements) * sizeof(double)));
    for (std::size_t sort = 0; sort < partners_.size(); ++sort) {
        partners_[sort].where = where[sort];
        if (partners_[sort].process >= 0)
            partners_[sort].area = area_of(partners_[sort].process, sort);
    }
}

Job::~Job()
{
    ARMCI_Free(memory_[static_cast<std::size_t>(me_)]);
}

double* Job::area_of(int process, std::size_t number) const
{
    return static_cast<double*>(memory_[static_cast<std::size_t>(process)]) + common_elements +
           number * area_elements;
}

double* Job::area(std::size_t sort) const
{
    return area_of(me_, sort);
}

double* Job::common(int process) const
{
    return static_cast<double*>(memory_[static_cast<std::size_t>(process)]);
}

} // namespace armci::tools
