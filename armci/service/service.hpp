// Service: a thread that answers other nodes while the program computes.
//
// Other nodes reach this process's memory when this process lets MPI progress. A program that computes does
// not, so a thread does. It sleeps on MPI's sockets (sockets.hpp) and drives MPI when one has something to
// read. It looks by the clock as well, 50 us after a look that found something, then at growing pauses, 2 ms
// at most: a network may have no sockets. Where it has, looks are for processes of the same node, which reach
// one another through MPI by shared memory: they grow to 10 ms. A process that is alone on its node and has
// sockets looks 1 ms after an answer, and every 500 ms.
//
// A program that is inside MPI drives it itself. So the thread neither sleeps on sockets nor enters MPI while
// the program is inside or goes in and out (gate.hpp counts): it looks again after pauses that grow from 20
// us to 5 ms, and needs 20 us without an entry before it serves.
//
// The thread never waits for the gate, so it can be stopped by a thread that is inside.
#pragma once

#include "armci/base/mpi_progress.hpp"
#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"
#include "armci/service/sockets.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace armci {

class Service {
public:
    // Collective over `world`. Chooses the gate's rule, where the job has several nodes and the settings want
    // the thread. The hosts outlive this.
    Service(MPI_Comm world, const Settings& settings, const Topology& topology, const JobHosts& hosts);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // True where all MPI calls of all processes pass gates that admit one thread at a time.
    bool gates_all() const { return gates_all_; }
    // Starts the thread, or tells why there is none.
    void start();
    // In place of start(), on all processes: active messages (gmr/active_messages/) are answered by a thread
    // of their own. Opens the gate.
    void leave_to_messages();

    // "yes, by a thread that sleeps on MPI's sockets", or "no: " and why.
    const std::string& description() const { return description_; }
    // True where each request of another process wakes the thread: none comes by the node's shared memory.
    bool is_prompt() const { return is_prompt_ && !shares_node_; }
    // Ends the thread, and opens the gate.
    void stop();

private:
    using Nanoseconds = std::chrono::nanoseconds;

    bool choose_rule();
    static void stop_at_exit();
    void run();
    void answer(bool by_socket, Nanoseconds after);
    bool drive_mpi(Nanoseconds after);
    // After another call, a short pause, a long pause.
    enum class Caches { warm, lukewarm, cold };
    bool call_finds_something(Caches caches);
    Nanoseconds time_to_look() const;

    static Service* the_one_;

    mpi::Progress progress_;
    const JobHosts& hosts_;
    int rank_ = 0;
    bool shares_node_;
    std::optional<Sockets> sockets_;
    std::string description_;
    bool exclusive_ = false;
    bool mpi_has_threads_ = false;
    bool gates_all_ = false;
    bool is_refused_ = false;
    bool is_prompt_ = false;
    std::atomic<bool> stop_{false};
    std::thread thread_;

    // Of the thread.
    bool has_answered_ = false; // the last time that it entered MPI
    Sockets::Clock::time_point last_found_{};
    std::array<Nanoseconds, 3> idle_call_{}; // what a call takes that finds nothing, by Caches
    int yields_ = 0;                         // calls that found nothing and gave the core away, less others
};

} // namespace armci
