// Node layout: which process lives on which node. Nodes are numbered by their lowest process.
//
// Launchers give each node a block of consecutive processes, of one size but for the last, as a rule. Then a
// division tells everything. Any other layout has tables of 12 bytes for each process.
#pragma once

#include <cstddef>
#include <vector>

namespace armci {

// The processes of one node, ascending.
class NodeMembers {
public:
    NodeMembers(int first, int count) : first_(first), count_(count) {}
    explicit NodeMembers(const std::vector<int>& list)
        : list_(list.data()), count_(static_cast<int>(list.size()))
    {
    }

    std::size_t size() const { return static_cast<std::size_t>(count_); }
    int operator[](std::size_t i) const { return list_ != nullptr ? list_[i] : first_ + static_cast<int>(i); }
    int front() const { return (*this)[0]; }
    int back() const { return (*this)[size() - 1]; }
    // NOLINTNEXTLINE(google-explicit-constructor): the same thing, for those that want to keep it
    operator std::vector<int>() const
    {
        std::vector<int> all(size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = (*this)[i];
        return all;
    }

private:
    const int* list_ = nullptr; // none for consecutive ones
    int first_ = 0;
    int count_ = 0;
};

class NodeLayout {
public:
    NodeLayout() = default;
    // lowest_of[p] is the lowest process of the node of process p.
    explicit NodeLayout(const std::vector<int>& lowest_of);

    int processes() const { return processes_; }
    int nodes() const { return nodes_; }
    int node_of(int process) const
    {
        return block_ > 0 ? process / block_ : node_of_[static_cast<std::size_t>(process)];
    }
    // Position of a process among its node's.
    int node_rank(int process) const
    {
        return block_ > 0 ? process % block_ : node_rank_[static_cast<std::size_t>(process)];
    }
    NodeMembers members(int node) const;

private:
    void make_tables(const std::vector<int>& lowest_of);

    int processes_ = 0;
    int nodes_ = 0;
    int block_ = 0; // processes of a node; 0: the tables tell
    std::vector<int> node_of_;
    std::vector<int> node_rank_;
    std::vector<std::vector<int>> members_;
};

} // namespace armci
