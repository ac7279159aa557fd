// Conflict tree: whether the byte ranges of one call overlap (paper 001, section VI-B).
//
// It holds ranges that are disjoint, so one descent either places a range or meets the one it overlaps:
// O(log N) for each, in an AVL tree. While ranges come in ascending, or in descending order, each is compared
// with the last one only and no tree is made: O(1). All nodes lie in one block, sized at the start.
#pragma once

#include <boost/intrusive/avl_set.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace armci::iov {

class ConflictTree {
public:
    // For up to `most` calls of add().
    explicit ConflictTree(std::size_t most);
    ConflictTree(const ConflictTree&) = delete;
    ConflictTree& operator=(const ConflictTree&) = delete;

    // Adds [first, last), unless it overlaps a range added before: then false. Ranges may touch; an empty one
    // overlaps nothing and is not kept.
    bool add(std::uint64_t first, std::uint64_t last);

    // Whether the ranges so far came in order, so that none was put into the tree.
    bool in_order() const { return order_ != Order::none; }

private:
    struct Node
        : boost::intrusive::avl_set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>,
                                              boost::intrusive::optimize_size<true>> {
        std::uint64_t first;
        std::uint64_t last; // one past
    };
    // Ranges that overlap are equivalent; among disjoint ones this is a strict order.
    struct Before {
        bool operator()(const Node& one, const Node& other) const { return one.last <= other.first; }
    };
    using Tree = boost::intrusive::avl_set<Node, boost::intrusive::compare<Before>,
                                           boost::intrusive::constant_time_size<false>>;
    enum class Order { any, ascending, descending, none };

    // Whether [first, last) goes on in the order so far.
    bool goes_on(std::uint64_t first, std::uint64_t last);
    void leave_order();

    std::unique_ptr<Node[]> nodes_;
    std::size_t count_ = 0;
    Order order_ = Order::any;
    Tree tree_; // empty while in order
};

} // namespace armci::iov
