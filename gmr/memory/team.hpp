// Team: the processes of a group as they meet: a barrier, and slots in which each shows something to all.
//
// Members of one node meet in shared memory. Where a team spans nodes, the first member on each node speaks
// for its node: one message a node and step, and as many steps as doublings reach all nodes. Every call is
// collective over the team, and one thread of a process is in a team at a time. Ordering: what a member wrote
// before barrier() or exchange() is seen by every member of its node after it.
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/base/record_runs.hpp"
#include "armci/base/record_table.hpp"
#include "armci/base/topology.hpp"
#include "armci/base/wait.hpp"
#include "gmr/memory/heap.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

namespace armci::gmr {

class Team {
public:
    // What a member can show the others of its node at once.
    static constexpr std::size_t slot_bytes = 4096;

    // Collective over `comm`, whose rank i is the absolute process members[i]. Both outlive the team.
    Team(MPI_Comm comm, const std::vector<int>& members, const Topology& topology, Heap& heap);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return static_cast<int>(members_.size()); }
    int member(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
    const std::vector<int>& members() const { return members_; }

    // Whether one member, or all, live on my node.
    bool on_my_node(int rank) const { return near_[static_cast<std::size_t>(rank)]; }
    bool on_one_node() const { return local_size_ == size(); }
    // The members of my node, and the first member of each node; the latter is null on the others.
    MPI_Comm node_comm() const { return on_one_node() ? comm_ : node_.get(); }
    MPI_Comm masters_comm() const { return masters_.get(); }
    // My place among the members of my node.
    int local_rank() const { return local_rank_; }
    int local_size() const { return local_size_; }

    // Whether all members said `mine`.
    bool barrier(bool mine = true);
    // A barrier of the members of my node.
    void meet_on_node() { node_barrier(); }
    // A barrier after which no member uses what the team has in shared memory, so the team may end.
    void meet_for_the_last_time();

    // Numbers the team's collective allocations, alike on all members.
    std::uint64_t next_allocation() { return ++allocations_; }

    // Each member of my node shows `bytes` (at most slot_bytes, and 0 is fine); collective over them. Gives
    // the slot of the first, the others follow each slot_bytes further on; valid until the second next call.
    const std::byte* show(const void* mine, std::size_t bytes);
    // The member of my node with the local rank `from` gives `bytes` to the others there; collective over
    // them.
    void pass(void* data, std::size_t bytes, int from);

    // The rank in masters_comm() of the node of a member, and that member's place among the node's.
    struct Place {
        int node;
        int on_node;
    };
    Place place_of(int rank) const;

    // Each member gives a record and gets those of all, by team rank. Equal records are sent once, and
    // exchange_runs() keeps them so.
    template <class Record>
    RecordTable<Record> exchange_runs(const Record& mine)
    {
        static_assert(std::has_unique_object_representations_v<Record> && sizeof(Record) <= slot_bytes);
        return RecordTable<Record>(gather(reinterpret_cast<const std::byte*>(&mine), sizeof(Record)));
    }
    template <class Record>
    std::vector<Record> exchange(const Record& mine)
    {
        static_assert(std::has_unique_object_representations_v<Record> && sizeof(Record) <= slot_bytes);
        std::vector<Record> all(members_.size());
        record_runs::expand(gather(reinterpret_cast<const std::byte*>(&mine), sizeof(Record)), sizeof(Record),
                            reinterpret_cast<std::byte*>(all.data()));
        return all;
    }

private:
    struct Control;

    bool node_barrier(bool mine = true);
    // Gives the rank of each node's first member.
    std::vector<int> find_nodes(const Topology& topology);
    void make_communicators(const std::vector<int>& first_ranks);
    record_runs::Bytes gather(const std::byte* mine, std::size_t each);
    // From the order of nodes, and of members on each, to that of ranks.
    record_runs::Bytes in_rank_order(const record_runs::Bytes& runs, std::size_t each) const;
    // The first member of my node gives the others what it has, whose length they do not know.
    void pass_on(record_runs::Bytes& data);
    std::size_t piece_bytes() const;
    // Takes turns between the two sets of slots.
    std::byte* next_slots();

    MPI_Comm comm_;
    mpi::Comm node_;    // only where the team spans nodes
    mpi::Comm masters_; // likewise, and on a node's first member
    const std::vector<int>& members_;
    std::vector<bool> near_; // by rank: on my node
    // Where the team spans nodes: how many members each node has, and the nodes' numbers in the topology,
    // both by the rank of its first member; and whether members come node by node.
    std::vector<int> node_sizes_;
    std::vector<int> nodes_;
    bool in_node_order_ = true;
    const Topology* topology_;
    int rank_ = 0;
    int local_rank_ = 0;
    int local_size_ = 0;
    Heap* heap_;
    Control* control_ = nullptr;
    unsigned turn_ = 0;
    std::uint64_t allocations_ = 0;
};

} // namespace armci::gmr
