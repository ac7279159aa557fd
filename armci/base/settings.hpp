// Settings: one member per environment variable, whose initialiser is the default, and one row of the table
// in settings.cpp. The row gives name, type, range and text, and the default as it is listed (a test holds
// the two alike); parsing, armci_info's listing and docs/settings.md all come from it.
#pragma once

#include "armci/base/diagnostics.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace armci {

enum class ArenaBacking { automatic, memfd, posix_shm };

// Where MPI windows over global memory come from, on jobs that need them (docs/design).
enum class WindowFlavour { pooled, create, allocate, shared, dynamic };

// How a network operation is enclosed in an access epoch.
enum class EpochStyle { lock_all, shared_lock, exclusive_lock };

// How the segments of a vector call go over the network (iov/methods.hpp).
enum class IovMethod { automatic, conservative, batched, direct };

// How a strided call goes over the network (strided/methods.hpp).
enum class StridedMethod { automatic, iov, direct, packed, segments, spans };

// What keeps my operations on one target in order: flushes where they may meet, or MPI's ordered accumulates.
enum class Ordering { automatic, accumulate, flush };

// Algorithm of mutexes (mutex/algorithm.hpp).
enum class MutexMethod { automatic, queueing, mcs, node, hybrid };

// When what CPUs and the network use by turns goes from one to the other and back: a hybrid mutex
// (mutex/hybrid.hpp), and the targets of atomic operations (gmr/network/modes.hpp).
enum class MigrationPolicy { fixed_cpu, fixed_network, pattern, history };

// What operations between nodes go by: messages of the library's own (gmr/active_messages/), or MPI's
// one-sided operations. `automatic` takes messages where the job can have them.
enum class Transport { automatic, messages, mpi };

// Where that is MPI, who carries out atomic operations on one process: CPUs and MPI by turns, which are calls
// of MPI (`turns`, gmr/network/mpi_exclusion.hpp) or epochs (the others). `automatic` takes the first of
// turns and pattern that the job can have.
enum class AtomicsPolicy { automatic, turns, fixed_cpu, fixed_network, pattern, history };

// Vector instructions of the node path (gmr/node/kernels/instruction_set.hpp).
enum class Kernels { automatic, portable, avx2, avx512 };

struct Settings {
    std::int64_t verbose = 0;
    std::string stats; // empty: none; settings::report_printed; or the file to write
    std::string trace; // file to write; empty: none
    std::int64_t check = 0;
    std::int64_t trace_events = 100000; // of a process
    diag::OnError errors = diag::OnError::abort;
    std::int64_t arena_size = 0; // bytes of address range per process; 0: derived from the memory of the node
    ArenaBacking arena_backing = ArenaBacking::automatic;
    std::int64_t memory_limit = 0; // bytes per process; 0: what the node has
    std::int64_t memory_check = 1;
    std::int64_t node_size = 0; // processes that count as one node at most; 0: as MPI says
    Transport transport = Transport::automatic;
    std::int64_t force_mpi = 0; // no load/store: every operation goes through MPI
    WindowFlavour window = WindowFlavour::pooled;
    EpochStyle epochs = EpochStyle::lock_all;
    Ordering ordering = Ordering::automatic;
    Kernels kernels = Kernels::automatic;
    StridedMethod strided_method = StridedMethod::automatic;
    IovMethod iov_method = IovMethod::automatic;
    std::int64_t iov_batched_limit = 0; // operations; 0: all
    std::int64_t iov_checks = 0;
    std::string tune_file; // of cost models (armci/base/cost_model.hpp)
    MutexMethod mutex_method = MutexMethod::automatic;
    MigrationPolicy mutex_policy = MigrationPolicy::pattern;
    AtomicsPolicy atomics_policy = AtomicsPolicy::automatic;
    std::int64_t chunk_size = std::int64_t{64} << 20; // bytes per process that the first pooled window covers
    std::int64_t probe = 1;                           // ask MPI at start-up for what some get wrong
    std::int64_t start_timeout = 60;                  // seconds; 0: none
    std::int64_t watch_links = 1;
    std::int64_t progress_thread = 1; // answer other nodes while the program computes
    std::int64_t spin = -1;           // rounds before a wait yields; -1: chosen from ranks and cores

    // Whether load and store do not serve all of a job of so many nodes. It makes MPI windows then, unless it
    // has active messages.
    bool uses_network(int nodes) const { return nodes > 1 || force_mpi != 0; }
    // Mutexes may have windows where nothing else does.
    bool may_make_windows(int nodes) const
    {
        return uses_network(nodes) ||
               (mutex_method != MutexMethod::automatic && mutex_method != MutexMethod::node);
    }
};

namespace settings {

enum class Type { boolean, integer, bytes, choice, path, report, accepted };

inline constexpr const char* report_printed = "1"; // what a report is that goes to no file

struct Row {
    const char* name;
    Type type;
    const char* default_text;
    std::int64_t least;
    std::int64_t most;
    const char* choices; // "a|b|c" for Type::choice
    const char* text;
    void (*store)(Settings&, std::int64_t); // of all types but path, report and accepted
    std::int64_t (*load)(const Settings&);
    std::string Settings::*path = nullptr; // of Type::path and Type::report
};

// All rows, in the order in which they are listed.
std::span<const Row> table();

// A variable of an environment.
struct Variable {
    std::string name;
    std::string text;
    int process = -1; // that has it, for messages; negative: the one that reads
};

// The ARMCI_ variables of this process's environment, sorted by name, less those of Type::accepted.
std::vector<Variable> variables();

// Reads variables. A bad value keeps the default. `complain` (one process per job) prints one warning for
// each bad value and for each unknown name, with the nearest known one.
Settings from(const std::vector<Variable>& variables, bool complain);

// Reads this process's own environment. What holds for a job: agreed() (agreed_settings.hpp).
Settings from_environment(bool complain);

// The row of that name, or null.
const Row* row_of(std::string_view name);

// The value as the user would write it.
std::string value_text(const Row& row, const Settings& settings);

} // namespace settings
} // namespace armci
