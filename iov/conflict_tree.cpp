#include "iov/conflict_tree.hpp"

namespace armci::iov {

ConflictTree::ConflictTree(std::size_t most) : nodes_(new Node[most]) {}

bool ConflictTree::add(std::uint64_t first, std::uint64_t last)
{
    if (first >= last)
        return true;
    Node& node = nodes_[count_];
    node.first = first;
    node.last = last;
    if (!goes_on(first, last)) {
        if (order_ != Order::none)
            leave_order();
        if (!tree_.insert_unique(node).second)
            return false;
    }
    ++count_;
    return true;
}

bool ConflictTree::goes_on(std::uint64_t first, std::uint64_t last)
{
    if (order_ == Order::none)
        return false;
    if (count_ == 0)
        return true;
    const Node& before = nodes_[count_ - 1];
    const bool up = first >= before.last;
    const bool down = last <= before.first;
    if (order_ == Order::any && (up || down))
        order_ = up ? Order::ascending : Order::descending;
    return order_ == Order::ascending ? up : order_ == Order::descending && down;
}

void ConflictTree::leave_order()
{
    for (std::size_t i = 0; i < count_; ++i) {
        if (order_ == Order::descending)
            tree_.push_front(nodes_[i]);
        else
            tree_.push_back(nodes_[i]);
    }
    order_ = Order::none;
}

} // namespace armci::iov
