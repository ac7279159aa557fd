// Links between hosts. A process that waits inside MPI may never hear that a host is gone: MPICH closes the
// connection that TCP has given up, and waits on. So where the job has several hosts, a thread looks at MPI's
// own TCP connections to the other hosts every two seconds, and ends the job, with a message, when one was
// given up unanswered.
//
// No limit of its own: MPI (by keepalive) and the kernel (tcp_retries2) say when a connection is lost. Where
// MPI has not asked for keepalive, an idle connection gets the time that data on their way get. A program may
// compute as long as it likes, as the kernel answers for it. Networks other than TCP are not looked at.
#pragma once

#include "armci/base/broken_pipe.hpp"
#include "armci/base/job_hosts.hpp"

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace armci {

class Links {
public:
    // `wanted` is ARMCI_WATCH_LINKS. The hosts outlive this.
    Links(const JobHosts& hosts, bool wanted);
    ~Links();
    Links(const Links&) = delete;
    Links& operator=(const Links&) = delete;

private:
    // A socket of this process, by its descriptor.
    struct Socket {
        ino_t inode = 0;
        const char* host = nullptr; // where it leads; none: not to another host of the job
        unsigned unanswered_ms = 0; // time without an answer to the kernel's probes, at the last look
        bool seen = false;
    };

    void watch();
    bool sleep(std::chrono::seconds time); // true when it is time to stop
    // Both return the host that is lost, if one is, and set lost_after_ms_.
    const char* look();
    const char* look_at(int descriptor, ino_t inode);
    Socket recognize(int descriptor, ino_t inode) const;

    const JobHosts& hosts_;
    std::optional<BrokenPipe> broken_pipe_;
    std::map<int, Socket> sockets_;
    unsigned lost_after_ms_ = 0;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace armci
