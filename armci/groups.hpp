// Groups: communicator, rank map and team of each ARMCI_Group, found again from the public struct that the
// caller keeps by value (Global Arrays copies it and reads its communicator).
#pragma once

#include "armci/base/mpi.hpp"
#include "armci/include/armci.h"
#include "gmr/memory/team.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace armci {

class Group {
public:
    // Collective over `comm`, which it owns or which outlives it; `members` are absolute ids by group rank.
    Group(mpi::Comm comm, std::vector<int> members, const Topology& topology, gmr::Heap& heap);
    Group(MPI_Comm comm, std::vector<int> members, const Topology& topology, gmr::Heap& heap);

    MPI_Comm comm() const { return comm_; }
    int rank() const { return team_.rank(); }
    int size() const { return team_.size(); }
    const std::vector<int>& members() const { return to_absolute_; }
    int absolute(int rank) const { return to_absolute_[static_cast<std::size_t>(rank)]; }
    // Group rank of an absolute id; -1 for processes outside.
    int rank_of(int process) const { return to_group_[static_cast<std::size_t>(process)]; }
    gmr::Team& team() { return team_; }

    // What the caller gets.
    ARMCI_Group handle();

private:
    mpi::Comm owned_;
    MPI_Comm comm_;
    std::vector<int> to_absolute_;
    std::vector<int> to_group_;
    gmr::Team team_;
};

// The struct of a process outside a group.
ARMCI_Group outside_group();

// Threads may be in different groups at once, creations included.
class Groups {
public:
    // Collective over `world`, which outlives them.
    Groups(MPI_Comm world, const Topology& topology, gmr::Heap& heap);

    Group& world() { return *world_; }
    Group& default_group() { return *default_; }
    void set_default(Group& group) { default_ = &group; }

    // The group of a handle; NULL names the world. Reports what is no group of mine and gives null.
    Group* find(const char* call, const ARMCI_Group* handle);

    // Called by the members (others of the parent may call too, at no cost): `ranks` are ranks in `parent`.
    int create(const char* call, Group& parent, int count, const int* ranks, ARMCI_Group& handle);
    // Collective over the parent.
    ARMCI_Group split(Group& parent, int color, int key);
    // Collective over the members.
    void free(Group& group, bool keep_alive);

private:
    template <class Comm>
    Group& adopt(Comm comm, std::vector<int> members);

    const Topology& topology_;
    gmr::Heap& heap_;
    std::mutex guard_; // of the next two
    std::unordered_map<MPI_Comm, std::unique_ptr<Group>> groups_;
    std::vector<std::unique_ptr<Group>> kept_; // freed by the caller while regions of theirs live
    Group* world_ = nullptr;
    std::atomic<Group*> default_ = nullptr;
};

} // namespace armci
