#include "armci/base/node_layout.hpp"

#include <algorithm>

namespace armci {

NodeLayout::NodeLayout(const std::vector<int>& lowest_of) : processes_(static_cast<int>(lowest_of.size()))
{
    const auto end_of_first =
        std::find_if(lowest_of.begin(), lowest_of.end(), [](int lowest) { return lowest != 0; });
    const int block = static_cast<int>(end_of_first - lowest_of.begin());
    bool regular = block > 0;
    for (int process = 0; process < processes_ && regular; ++process)
        regular = lowest_of[static_cast<std::size_t>(process)] == process / block * block;
    if (!regular) {
        make_tables(lowest_of);
        return;
    }
    block_ = block;
    nodes_ = (processes_ + block - 1) / block;
}

void NodeLayout::make_tables(const std::vector<int>& lowest_of)
{
    std::vector<int> node_with_lowest(lowest_of.size(), -1);
    node_of_.reserve(lowest_of.size());
    node_rank_.reserve(lowest_of.size());
    for (const int lowest : lowest_of) {
        int& node = node_with_lowest[static_cast<std::size_t>(lowest)];
        if (node < 0) {
            node = static_cast<int>(members_.size());
            members_.emplace_back();
        }
        auto& members = members_[static_cast<std::size_t>(node)];
        members.push_back(static_cast<int>(node_of_.size()));
        node_of_.push_back(node);
        node_rank_.push_back(static_cast<int>(members.size()) - 1);
    }
    nodes_ = static_cast<int>(members_.size());
}

NodeMembers NodeLayout::members(int node) const
{
    if (block_ == 0)
        return NodeMembers(members_[static_cast<std::size_t>(node)]);
    const int first = node * block_;
    return {first, std::min(block_, processes_ - first)};
}

} // namespace armci
