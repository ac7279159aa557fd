// Traits: what the paths of the network rest on of MPI, found at start from what MPI really uses.
//
// Open MPI's one-sided components differ more than its versions do, and a window tells which one it has by
// its name. The table of mpi_traits.cpp is the one place that knows components and versions; all else asks
// for traits. What is not known has the values that hold everywhere.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace armci::traits {

// What carries out one-sided operations.
enum class Component { unknown, openmpi_pt2pt, openmpi_rdma, openmpi_ucx, openmpi_sm, mpich };
const char* name_of(Component component);

struct Traits {
    Component component = Component::unknown;

    // Accumulates of one origin to one target arrive in its order whatever other origins do.
    bool keeps_accumulates_in_order = false;
    // Up to this size a put stays in order with earlier puts and later gets of its origin and target, though
    // the standard does not ask for it.
    std::uint64_t ordered_put_bytes = 0;

    // One-sided operations may use types with holes. Never their request-based forms: MPICH completes the
    // request before the data is read or there (mpich 7898, docs/mpi-facts.md).
    bool derived_types = false;
    // Such an operation is one message, not one for each segment.
    bool types_are_one_message = false;
    // The most blocks that one put or accumulate may have at the target.
    std::size_t written_blocks = 192;
    // Those blocks may lie in memory of several MPI_Win_attach calls.
    bool types_reach_several_attached = false;

    // MPI_Win_flush_local may wait for ever; MPI_Win_flush_local_all takes its place.
    bool flush_local_may_hang = true;
    // A flush of each of several targets waits for one answer after the other, MPI_Win_flush_all for all at
    // once.
    bool flushes_take_turns = false;
    // What lies unsent goes to its target in one message with the question of a flush: a write that is fenced
    // at once had better not be sent before.
    bool flushes_take_data_along = false;
    // An accumulate that is complete here is complete at its target, so a flush costs what a local flush
    // does.
    bool accumulates_are_acknowledged = false;
    // Accumulates are carried out by the target process, each in one of its calls of MPI. An origin of the
    // target's node may do otherwise.
    bool target_adds = false;
    // Fetch-and-ops and compare-and-swaps are, too.
    bool target_fetches = false;
    // It adds at the origin, in several round trips for each segment of an accumulate, so the library had
    // better do so itself, in a few for all (gmr/locked_accumulate.hpp).
    bool adds_at_origin = false;
    // Told that no accumulate is longer than an element (info key acc_single_intrinsic), it spares
    // fetch-and-ops and compare-and-swaps a lock of its own. True where the library adds by itself.
    bool takes_single_atomics = false;
    // The flush behind a compare-and-swap may wait for ever while gets are under way; swaps take its place.
    bool compare_and_swap_may_hang = false;
    // A fetch-and-op is right, and faster, by a request instead of a flush.
    bool fetches_by_request = false;

    // Longer accumulates go faster in pieces of this size; those that are under way alone, in smaller ones.
    std::uint64_t piece_bytes = 1 << 30;
    std::uint64_t piece_bytes_alone = 1 << 30;
    // Puts of more than the first and less than the second, one after the other, go faster as accumulates
    // that replace.
    std::uint64_t replacing_above = 0;
    std::uint64_t replacing_below = 0;
    // Up to this size a blocking get, and a blocking accumulate, is faster by a request than by a flush.
    std::uint64_t get_request_bytes = 0;
    std::uint64_t accumulate_request_bytes = 0;
    // The most requests that may be outstanding to a process.
    std::size_t most_requests = SIZE_MAX;
    // Bytes of accumulates under way to one target beyond which they had better complete first.
    std::uint64_t accumulated_bytes = UINT64_MAX;

    // MPI_Win_lock_all asks every process and waits for the answers, except with MPI_MODE_NOCHECK. No process
    // takes an exclusive lock of a window that is locked for good.
    bool locks_all_by_messages = false;
    // MPI_Iprobe reaches one-sided operations at few of its calls.
    bool probes_seldom_reach_windows = false;
    // MPI_Win_free waits for every process that ever shared a window with this one. A process answers only
    // while it has a window.
    bool windows_want_company = false;
    // So many windows at a time leave enough of MPI's communicators to the program.
    int most_windows = 512;
    // Windows between nodes can be had under MPI_THREAD_MULTIPLE.
    bool windows_with_threads = true;
    // Threads that are in one-sided operations at once, on one window or several, may wait for ever, or crash
    // where one ends meanwhile: they take turns (thread_turns.hpp). Of programs with MPI_THREAD_MULTIPLE.
    bool threads_take_turns = false;
};

// Of the windows that the job has; those of `unknown` before the first. Changed at start, and where a window
// of another component comes later (of a group on one node, say): then to what holds for both.
[[gnu::visibility("hidden")]] extern Traits in_use;

// Whether any component of this MPI may have windows_want_company; the same on all processes.
bool may_want_company();

// Looks at a window that has just been made, on every process alike. Returns its own traits.
Traits look_at(MPI_Win window);

// To be called before the first window, where OMPI_MCA_osc_pt2pt_receive_count is not the same on all
// processes: puts then may reach a target out of order.
void expect_other_receives_elsewhere();

// Whether MPI gives windows that it allocates their own memory, by its version: mpich 6140, fixed in 4.0.3.
bool allocates_windows();

// For people: each trait, its value, and where that comes from.
struct Row {
    std::string name;
    std::string value;
    std::string source;
};
std::vector<Row> rows();

} // namespace armci::traits
