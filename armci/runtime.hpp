// Runtime: the one owner of process-wide state. Members are made in the order in which they stand and go in
// reverse.
#pragma once

#include "armci/base/job_hosts.hpp"
#include "armci/base/links.hpp"
#include "armci/base/mpi_progress.hpp"
#include "armci/base/orphan_watch.hpp"
#include "armci/base/settings.hpp"
#include "armci/base/start_watch.hpp"
#include "armci/groups.hpp"
#include "armci/message_world.hpp"
#include "armci/mutex_handles.hpp"
#include "armci/service/service.hpp"
#include "gmr/locked_accumulate.hpp"
#include "gmr/network/kept_windows.hpp"
#include "gmr/notify.hpp"
#include "gmr/regions/global_memory.hpp"
#include "mutex/mutex_set.hpp"

#include <memory>

namespace armci {

class Runtime {
public:
    // Collective over `comm`, with settings that all of its processes have agreed on.
    Runtime(MPI_Comm comm, const Settings& settings);
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    int me() const { return me_; }
    int processes() const { return topology().processes(); }
    const Settings& settings() const { return settings_; }
    const Topology& topology() const { return messages_.topology(); }
    gmr::GlobalMemory& memory() { return memory_; }
    Groups& groups() { return groups_; }
    gmr::Notifier& notifier() { return notifier_; }
    const Service& service() const { return service_; }

    MutexHandles& mutex_handles() { return mutex_handles_; }

private:
    // What operations between nodes go by, where MPI's do not (null where they do).
    std::unique_ptr<gmr::ActiveMessages> choose_messages();
    // The settings, after MPI has shown what it can do.
    const Settings& probed_settings();
    void announce();
    void stop_observing();
    void make_ticket_counter();
    void stop_checking();

    // How waits behave while this object lives (armci/base/wait.hpp).
    struct Waiting {
        Waiting(MPI_Comm world, const Topology& topology, const Settings& settings);
        ~Waiting();

    private:
        mpi::Progress progress_;
    };

    mpi::Comm world_; // for this object; the world group has that of messages
    gmr::KeptWindows kept_windows_{world_.get()};
    int me_;
    Settings settings_;
    message::World& messages_;
    std::unique_ptr<StartWatch> start_watch_; // until the start is done
    OrphanWatch orphan_watch_;
    JobHosts hosts_;
    Links links_;
    Waiting waiting_;
    Service service_;
    std::unique_ptr<gmr::ActiveMessages> new_messages_; // until memory_ has them
    gmr::GlobalMemory memory_;
    Groups groups_;
    gmr::locked::Locks locks_;
    gmr::Notifier notifier_;
    MutexHandles mutex_handles_;

public:
    // The set that ARMCI_Create_mutexes made, if any. Last, as it lies in the memory above.
    std::unique_ptr<mutex::MutexSet> mutexes;
};

// Starting and stopping, counted. `start` starts MPI too where nobody has, with the thread level asked for.
struct StartRequest {
    const char* call;
    int* argc = nullptr;
    char*** argv = nullptr;
    int thread_level = MPI_THREAD_SINGLE;
    MPI_Comm comm = MPI_COMM_NULL; // MPI_COMM_NULL: the world
};
int start(const StartRequest& request);
int stop(const char* call);

// Starts MPI where nobody has, and the messages' world, which needs no more (armci_msg_init); ends MPI if
// that or start() began it. Between the two, and longer, messages work whether the runtime stands or not.
void start_messages(const StartRequest& request);
void stop_messages();
// Why there are none, where there are none.
const char* why_no_messages();

// Lets MPI advance what other processes have begun with this one.
void progress_mpi();

// Limits global memory, now or for the next start; 0 lifts the limit.
void limit_memory(unsigned long bytes_per_process);

// The runtime between start and stop; otherwise null, after a report for `call`.
Runtime* running(const char* call);
// The same without a report.
Runtime* running_quietly();
// For calls that cannot hand a code back.
Runtime& running_or_end(const char* call);

} // namespace armci
