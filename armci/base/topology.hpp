// Topology: which absolute process lives on which node. Nodes are numbered by their lowest process.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/node_layout.hpp"

namespace armci {

class Topology {
public:
    Topology() = default;

    // Collective over `world`. MPI says which processes share a machine. Where MPI sees every process alone
    // (MPICH 5.0.2 does, docs/mpi-facts.md), the system says it. Processes that cannot open one another's
    // memory, as in containers of their own, are parted. The processes of a machine are a node. A
    // `most_per_node` above 0 cuts machines into several nodes of that size.
    Topology(MPI_Comm world, int most_per_node);

    int processes() const { return layout_.processes(); }
    int nodes() const { return layout_.nodes(); }
    int my_node() const { return my_node_; }
    // Processes share nodes, but MPI does not know it, and makes no shared windows.
    bool unknown_to_mpi() const { return unknown_to_mpi_; }
    // MPI counts processes to one node that cannot share memory.
    bool parted() const { return parted_; }
    const NodeLayout& layout() const { return layout_; }
    int node_of(int process) const { return layout_.node_of(process); }
    bool same_node(int process) const { return node_of(process) == my_node_; }
    // Absolute ids of a node's processes, ascending.
    NodeMembers members(int node) const { return layout_.members(node); }
    // Position of a process among its node's members.
    int node_rank(int process) const { return layout_.node_rank(process); }
    // The node's processes, ranked as members() lists them.
    MPI_Comm node_comm() const { return node_comm_.get(); }

    // The processes that share memory with this one: its node, and the nodes that were cut from the same
    // machine.
    MPI_Comm machine_comm() const { return nodes_here_ > 1 ? machine_comm_.get() : node_comm_.get(); }
    int nodes_here() const { return nodes_here_; }
    // Position of this process's node among those of its machine.
    int node_here() const { return node_here_; }

private:
    mpi::Comm machine_comm_; // valid where the machine is more than the node
    int nodes_here_ = 1;
    int node_here_ = 0;
    bool parted_ = false;
    mpi::Comm node_comm_;
    int my_node_ = 0;
    bool unknown_to_mpi_ = false;
    NodeLayout layout_;
};

} // namespace armci
