// MPI exclusion: the CPUs of a node change the memory of a process by atomic operations while the process is
// outside of MPI.
//
// CPU atomics and MPI's are not atomic against each other. Where MPI lets the target process carry out each
// atomic operation in one of its calls of MPI, and all these calls pass a gate (armci/service/gate.hpp), it
// is enough that CPUs and calls of MPI take turns on each process: a phase lock for each
// (armci/base/phase_lock.hpp). A CPU that finds the target inside a call of MPI that lasts uses MPI, which
// the target then drives. Another node's processes always use MPI, and claim nothing first. Kinds of
// operations that MPI carries out otherwise have modes (modes.hpp).
//
// Reasons and costs: docs/design/0015.
#pragma once

#include "armci/base/phase_lock.hpp"
#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/network/access.hpp"

#include <mpi.h>

#include <atomic>
#include <memory>
#include <vector>

namespace armci::gmr {

class MpiExclusion {
public:
    // Collective over `world`. Null, on all processes, where MPI carries out atomic operations otherwise.
    static std::unique_ptr<MpiExclusion> where_it_holds(MPI_Comm world, const Topology& topology, Heap& heap,
                                                        const Settings& settings);
    ~MpiExclusion();
    MpiExclusion(const MpiExclusion&) = delete;
    MpiExclusion& operator=(const MpiExclusion&) = delete;

    bool covers(Access kind) const { return kind != Access::fetch_and_op || covers_fetches_; }
    bool covers_all() const { return covers_fetches_; }

    // Null where there is none.
    static MpiExclusion* the_one() { return the_one_; }

    // Keeps MPI out of a process of my node until leave(). False where MPI has the process for long, and for
    // a process of another node. In between the caller must not call MPI, and must wait for nothing but a
    // lock that the node's CPUs hold while they change memory.
    bool enter(int process)
    {
        const std::size_t index = index_of(process);
        inside_ = index < neighbours_.size() && neighbours_[index].lock != nullptr &&
                  neighbours_[index].lock->enter_cpu(neighbours_[index].given_up);
        return inside_;
    }
    void leave(int process)
    {
        inside_ = false;
        neighbours_[index_of(process)].lock->leave_cpu();
    }
    // True in a thread that keeps MPI out of a process, which may be its own: a wait must not drive MPI.
    static bool is_inside() { return inside_; }

    // For the gate of this process.
    PhaseLock& mine() { return *mine_; }

private:
    struct Neighbour {
        PhaseLock* lock = nullptr; // null off my node
        std::atomic<std::uint64_t> given_up{0};
    };

    MpiExclusion(const Topology& topology, Heap& heap);

    static MpiExclusion* the_one_;
    static thread_local bool inside_;

    Heap& heap_;
    bool covers_fetches_;
    PhaseLock* mine_;
    // Far beyond the table for a process before the first of my node.
    std::size_t index_of(int process) const { return static_cast<unsigned>(process) - first_; }
    unsigned first_;                    // process of my node
    std::vector<Neighbour> neighbours_; // by process, from the first of my node to the last
};

} // namespace armci::gmr
