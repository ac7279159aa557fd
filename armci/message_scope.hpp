// Whom a message call is among: the members of a group, or the world in whatever phase of life ARMCI is; and
// of those the ones of a scope: all; those on my node; one for each node (the lowest). Processes outside the
// MASTERS scope take no part. Absolute ids are the ranks of the world.
#pragma once

#include "armci/groups.hpp"
#include "armci/message_world.hpp"

#include <vector>

namespace armci::message {

// Where there is no such world or group, making one reports it for `call` and ends the job.
class Members {
public:
    static Members of_world(const char* call);
    static Members of_group(const char* call, const ARMCI_Group* handle);

    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    int absolute(int rank) const { return group_ != nullptr ? group_->absolute(rank) : rank; }
    // -1 for processes outside.
    int rank_of(int process) const { return group_ != nullptr ? group_->rank_of(process) : process; }
    // Of the world, these members among them.
    int processes() const { return processes_; }
    // Null while ARMCI is not up; the members are then the world, and MPI is all they have.
    Group* group() const { return group_; }

private:
    explicit Members(Group& group, int processes);
    explicit Members(MPI_Comm comm);

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    int processes_ = 0;
    Group* group_ = nullptr;
};

// `rank` is mine in `comm`, whose processes come in the order of the members.
struct Scope {
    MPI_Comm comm;
    bool takes_part;
    int rank;
    int size;
    std::vector<int> ranks; // among the members, of the scope's processes; empty: all
    gmr::Team* team;        // of the scope or, for the processes of one node, around it; null: there is none
    bool spans_nodes;
};
Scope scope_of(const char* call, int scope, const Members& members);

// The rank within the scope of a member, which is that process of the world.
int rank_in(const char* call, const Scope& scope, int member, int process);

} // namespace armci::message
