// The world of messages: the communicator that armci_msg_* use for all processes, and who shares a node with
// whom.
//
// Made by armci_msg_init or ARMCI_Init, whichever comes first, and kept until MPI ends, which frees it: what
// is sent in one phase of ARMCI's life may be received in the next. A program that calls neither first has
// MPI_COMM_WORLD for it.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/topology.hpp"

namespace armci::message {

class World {
public:
    // The world over the processes of `comm`, made at the first call; collective over them. It is the latest
    // then.
    static World& over(MPI_Comm comm, int most_per_node);
    // Null before the first.
    static World* latest();

    MPI_Comm comm() const { return comm_.get(); }
    int me() const { return comm_.rank(); }
    const Topology& topology() const { return topology_; }
    // The lowest process of each node; collective over those.
    MPI_Comm masters();

private:
    World(MPI_Comm comm, int most_per_node);

    int most_per_node_; // as Topology takes it
    mpi::Comm comm_;
    Topology topology_;
    mpi::Comm masters_;
};

} // namespace armci::message
