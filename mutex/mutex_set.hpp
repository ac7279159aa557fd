// Mutex set: what one collective creation makes: `count` mutexes on each process of a team. Chooses their
// algorithm, finds its memory, and refuses misuse.
#pragma once

#include "gmr/memory/team.hpp"
#include "gmr/regions/global_memory.hpp"
#include "mutex/algorithm.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace armci::mutex {

class MutexSet {
public:
    // Collective over `team`; my part lies in `memory`; counts may differ. Null on a reported mistake.
    static std::unique_ptr<MutexSet> create(const char* call, gmr::Team& team, gmr::GlobalMemory& memory,
                                            const Settings& settings, int count);

    // Collective. Refused on every process while any mutex of the set is held.
    int close(const char* call);
    ~MutexSet();
    MutexSet(const MutexSet&) = delete;
    MutexSet& operator=(const MutexSet&) = delete;

    // `owner` is the team rank of the process that the mutex lives on. Return 0, or the code of a reported
    // mistake.
    int lock(const char* call, int mutex, int owner);
    int unlock(const char* call, int mutex, int owner);
    // As lock(), but gives up at once; `taken` says which.
    int try_lock(const char* call, int mutex, int owner, bool& taken);

    int my_count() const { return parts_[static_cast<std::size_t>(team_.rank())].count; }
    int most_count() const;

private:
    struct Part {
        int count;
        int problem;
        std::byte* memory;        // of the algorithm
        std::int64_t on_its_node; // members of the team
    };

    MutexSet(gmr::Team& team, gmr::GlobalMemory& memory) : team_(team), memory_(memory) {}
    // Takes memory for my part, or notes in it that there is none: `bytes` that others reach, and room for
    // `other_bytes` of mine.
    void place(Part& part, std::uint64_t bytes, std::uint64_t other_bytes);
    // Collective: takes memory for the algorithm, and makes it. Null on a reported mistake.
    std::unique_ptr<Algorithm> make(const char* call, MutexMethod method, const Settings& settings);
    // On a job of one node, whose processes otherwise need not enter MPI for one another.
    void drive_mpi();
    // Tells whether all parts are good; reports the first that is not.
    bool agree(const char* call);
    int check(const char* call, int mutex, int owner) const;
    [[gnu::cold, gnu::noinline]] void lock_observed(const char* call, int mutex, int owner,
                                                    std::uint64_t thread);
    // Names the calling thread among all threads of the team. Never 0.
    std::uint64_t this_thread() const;
    // What a mutex is called, on every process alike.
    std::uint64_t name(int mutex, int owner) const;

    gmr::Team& team_;
    gmr::GlobalMemory& memory_;
    std::byte* placed_ = nullptr; // my part of the algorithm's memory
    bool drives_mpi_ = false;
    std::uint64_t taken_ = 0; // from the memory budget
    std::vector<Part> parts_; // by team rank
    std::unique_ptr<Algorithm> algorithm_;
};

} // namespace armci::mutex
