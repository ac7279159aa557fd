// Pairing: which server of another node a process uses.
//
// It is that of the process of the same place there, so a server has a caller from each other node, where
// nodes have equal sizes. A node of few processes serves all places of the others.
#pragma once

#include "armci/base/node_layout.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr::active_messages {

inline int server_of(const NodeLayout& layout, int process, int node)
{
    const NodeMembers members = layout.members(node);
    return members[static_cast<std::size_t>(layout.node_rank(process)) % members.size()];
}

// Returns how many processes of other nodes use the server of `process`.
inline std::uint64_t callers_of(const NodeLayout& layout, int process)
{
    const int my_node = layout.node_of(process);
    const auto place = static_cast<std::size_t>(layout.node_rank(process));
    const std::size_t places = layout.members(my_node).size();
    std::uint64_t callers = 0;
    for (int node = 0; node < layout.nodes(); ++node)
        if (const std::size_t others = layout.members(node).size(); node != my_node && others > place)
            callers += (others - place - 1) / places + 1;
    return callers;
}

} // namespace armci::gmr::active_messages
