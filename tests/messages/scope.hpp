// Which processes take part in a collective call over a scope, told by the topology alone.
#pragma once

#include "tests/support/mpi_test.hpp"

#include <armcix.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace armci_test {

inline std::vector<int> everybody()
{
    std::vector<int> all(static_cast<std::size_t>(size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

inline int domain_of(int process)
{
    return armci_domain_id(ARMCI_DOMAIN_SMP, process);
}

// `group`: absolute ids in group order. Of SCOPE_NODE those on my node; of SCOPE_MASTERS the first of each
// node, me among them or not.
inline std::vector<int> scope_members(int scope, const std::vector<int>& group)
{
    std::vector<int> members;
    for (const int process : group) {
        const auto same_node = [&](int other) { return domain_of(other) == domain_of(process); };
        const bool in = scope == SCOPE_ALL ||
                        (scope == SCOPE_NODE && domain_of(process) == domain_of(rank())) ||
                        (scope == SCOPE_MASTERS && std::none_of(members.begin(), members.end(), same_node));
        if (in)
            members.push_back(process);
    }
    return members;
}

inline bool takes_part(const std::vector<int>& members)
{
    return std::find(members.begin(), members.end(), rank()) != members.end();
}

inline constexpr int all_scopes[] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};
inline const char* scope_name(int scope)
{
    return scope == SCOPE_ALL ? "ALL" : scope == SCOPE_NODE ? "NODE" : "MASTERS";
}

// A group of everybody in reverse order, and one of the upper half; freed with the object by their members.
class TestGroups {
public:
    TestGroups()
    {
        lists_ = {everybody(), everybody(), everybody()};
        std::reverse(lists_[1].begin(), lists_[1].end());
        lists_[2].erase(lists_[2].begin(), lists_[2].begin() + size() / 2);
        ARMCI_Group_get_world(&groups_[0]);
        for (std::size_t i = 1; i < count; ++i)
            ARMCI_Group_create(static_cast<int>(lists_[i].size()), lists_[i].data(), &groups_[i]);
    }
    ~TestGroups()
    {
        for (std::size_t i = 1; i < count; ++i)
            ARMCI_Group_free(&groups_[i]);
    }
    TestGroups(const TestGroups&) = delete;
    TestGroups& operator=(const TestGroups&) = delete;

    // visit(group, its absolute ids) for each group that I am in.
    template <class Visit>
    void each(Visit visit)
    {
        for (std::size_t i = 0; i < count; ++i)
            if (groups_[i].rank >= 0) {
                SCOPED_TRACE("group " + std::to_string(i));
                visit(&groups_[i], lists_[i]);
            }
    }

private:
    static constexpr std::size_t count = 3;
    ARMCI_Group groups_[count];
    std::vector<std::vector<int>> lists_;
};

} // namespace armci_test
