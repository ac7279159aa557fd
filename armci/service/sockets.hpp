// Sockets: the TCP sockets of this process, over which other processes reach its MPI. A thread sleeps on
// them.
//
// MPI hands out none of its descriptors, so /proc/self/fd tells. Sockets that are not MPI's are found out:
// what MPI does not read stays readable, and such a socket is left alone until the next scan.
#pragma once

#include "armci/base/job_hosts.hpp"

#include <sys/epoll.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <unordered_map>

namespace armci {

class Sockets {
public:
    using Clock = std::chrono::steady_clock;

    explicit Sockets(const JobHosts& hosts);
    ~Sockets();
    Sockets(const Sockets&) = delete;
    Sockets& operator=(const Sockets&) = delete;

    // Adds sockets that are new. Cheap where no descriptor was opened since the last look.
    void look();
    // True where a connection leads to another host of the job.
    bool lead_to_other_hosts() const { return leads_away_; }

    // Sleeps until a socket has something to read, or room again after it was full (true), until wake() or
    // `time` is over.
    bool wait(std::chrono::nanoseconds time);
    // Ends the present wait, or the next one.
    void wake();
    // Called after MPI had its turn: finds sockets that MPI does not read.
    void note_what_was_read();

private:
    struct Socket {
        ino_t inode = 0;
        int fruitless = 0; // events in a row after which MPI had read nothing
    };
    struct Event {
        int descriptor;
        int bytes;
    };

    void begin_anew();
    bool scan(); // true where a socket was new
    bool is_new_descriptor_open();
    void watch(int descriptor);
    void ignore(int descriptor);

    const JobHosts& hosts_;
    int epoll_ = -1;
    int room_ = -1; // sockets that have room again; in epoll_
    int wake_ = -1;
    int lowest_free_ = -1;
    bool leads_away_ = false;
    Clock::time_point last_scan_{};
    std::chrono::milliseconds between_scans_{};
    std::unordered_map<int, Socket> known_; // by descriptor
    std::array<Event, 16> events_{};
    std::size_t event_count_ = 0;
};

} // namespace armci
