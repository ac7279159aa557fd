// Team: the processes of a group as they meet in shared memory: a barrier and an exchange of small records.
//
// Every call is collective over the team, and one thread of a process is in a team at a time.
// Ordering: what a member wrote before barrier() or exchange() is seen by every member after it.
#pragma once

#include "armci/base/wait.hpp"
#include "gmr/heap.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace armci::gmr {

class Team {
public:
    static constexpr std::size_t record_bytes = 64;

    // Collective over `comm`, whose rank i is the absolute process members[i]. All live on this node; the first one's
    // heap holds the shared state.
    Team(MPI_Comm comm, std::vector<int> members, Heap& heap);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int rank() const { return rank_; }
    int size() const { return static_cast<int>(members_.size()); }
    int member(int rank) const { return members_[static_cast<std::size_t>(rank)]; }

    void barrier();

    // Each member gives a record and gets those of all, by team rank.
    template <class Record> std::vector<Record> exchange(const Record& mine)
    {
        static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) <= record_bytes);
        // Two sets of slots in turn: a member writes a set again only after a barrier that its readers have entered.
        std::byte* const slots = next_slots();
        std::memcpy(slots + static_cast<std::size_t>(rank_) * record_bytes, &mine, sizeof mine);
        barrier();
        std::vector<Record> all(members_.size());
        for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], slots + i * record_bytes, sizeof(Record));
        return all;
    }

private:
    struct Control;

    std::byte* next_slots();

    std::vector<int> members_;
    int rank_ = 0;
    Heap* heap_;
    Control* control_ = nullptr;
    unsigned turn_ = 0;
};

} // namespace armci::gmr
