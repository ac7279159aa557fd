// Service: a thread that answers other nodes while the program computes.
//
// Other nodes reach this process's memory when this process lets MPI progress. A program that computes does
// not, so a thread does. It sleeps on MPI's sockets (sockets.hpp) and drives MPI when one has something to
// read. A network without sockets, or one that moves data past them, is looked at by the clock: 50 us after
// it last had something to do, and at growing pauses, 2 ms at most. Where sockets lead to other hosts, it is
// looked at every 10 ms as well.
//
// A program that is inside MPI drives it itself. So the thread neither sleeps on sockets nor enters MPI while
// the program is inside or goes in and out (gate.hpp counts): it looks again after pauses that grow from 20 us
// to 1 ms, and needs one pause without an entry before it serves.
//
// The thread never waits for the gate, so it can be stopped by a thread that is inside.
#pragma once

#include "armci/base/mpi_progress.hpp"
#include "armci/base/settings.hpp"
#include "armci/service/sockets.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>

namespace armci {

class Service {
public:
    // Starts the thread where the job has several nodes and the settings want it. Not collective, but all
    // processes of a job decide alike.
    Service(MPI_Comm world, const Settings& settings, bool has_several_nodes);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // "yes, by a thread that sleeps on 3 sockets", or "no: " and why.
    const std::string& description() const { return description_; }
    // True where the thread wakes as soon as another node asks.
    bool is_prompt() const { return thread_.joinable() && sockets_->lead_to_other_hosts(); }
    // Ends the thread.
    void stop();

private:
    using Nanoseconds = std::chrono::nanoseconds;

    bool choose_rule();
    static void stop_at_exit();
    void run();
    void answer(bool by_socket);
    bool has_found_something(Nanoseconds took);
    Nanoseconds time_to_look() const;

    static Service* the_one_;

    mpi::Progress progress_;
    std::optional<Sockets> sockets_;
    std::string description_;
    bool exclusive_ = false;
    std::atomic<bool> stop_{false};
    std::thread thread_;

    // Of the thread.
    Sockets::Clock::time_point last_found_{}; // when a look by the clock found something to do
    Nanoseconds idle_look_{0};                // what a look takes that finds nothing
};

} // namespace armci
