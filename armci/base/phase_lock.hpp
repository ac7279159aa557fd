// Phase-fair lock: excludes a process's calls of MPI and the CPU atomics of its node on the process's memory.
//
// One side is MPI: the process is inside MPI, where its MPI may carry out atomic operations of other
// processes. Its gate (armci/service/gate.hpp) admits one thread at a time, so this side has one user at a
// time. The other side are CPUs: any number of threads of the node at once. The lock lies in memory that the
// processes of the node share.
//
// The sides take turns (phase-fair; Brandenburg and Anderson, "Reader-writer synchronization for
// shared-memory multiprocessor real-time systems", ECRTS 2009): CPUs that arrive while MPI is inside go ahead
// when this call of MPI ends, and the next call of MPI waits for them. CPUs that arrive while a call of MPI
// waits go ahead after it. So neither side starves the other.
//
// A call of MPI may block for as long as another process takes. A CPU does not wait that long: it gives up,
// and the caller uses MPI, which the target drives meanwhile.
//
// Ordering: `arrivals` is one word that both sides change by read-modify-write, so they agree on which
// came first. A CPU that arrives while no call of MPI is inside is counted before the next one begins, which
// then waits until `departures` has reached that count. A CPU that gives up takes its arrival back: a
// departure would count for a CPU that is still at work. What CPUs stored happens before MPI begins (release
// of `departures`), and what MPI stored happens before CPUs go ahead (release of `arrivals`). Model:
// tests/models/phase.pml.
#pragma once

#include <atomic>
#include <cstdint>

namespace armci {

class alignas(64) PhaseLock {
public:
    // Waits for the CPUs that have arrived. Called by the owner, one thread at a time, and followed by
    // leave_mpi().
    void enter_mpi();
    void leave_mpi();

    // Waits until no call of MPI is inside, and returns true: the caller changes memory and calls
    // leave_cpu(). Returns false where one call of MPI has lasted for the whole wait (50 us, or none for the
    // call that was given up last). The caller must neither call MPI nor wait in between. `given_up` is the
    // caller's own for this lock, zero at first.
    bool enter_cpu(std::atomic<std::uint64_t>& given_up);
    void leave_cpu() { departures_.fetch_add(one_cpu, std::memory_order_release); }

private:
    // In the lower bits the number of the phase, odd while a call of MPI is inside or waits; in the upper
    // ones how many CPUs have arrived, or departed.
    static constexpr std::uint64_t phase_bits = 0xffffff;
    static constexpr std::uint64_t one_cpu = phase_bits + 1;

    bool wait_for_next_phase(std::uint64_t phase) const;

    std::atomic<std::uint64_t> arrivals_{0};
    std::atomic<std::uint64_t> departures_{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

} // namespace armci
