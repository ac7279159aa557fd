#include "armci/base/links.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/side_thread.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace armci {
namespace {

constexpr std::chrono::seconds between_looks{2};
// A connection that ends after less silence was closed by somebody; what that means is the launcher's
// business.
constexpr unsigned unanswered_at_least_ms = 3000;
// MPI, which may know the call that failed, gets this long to end the job by itself.
constexpr std::chrono::seconds for_mpi_to_end{2};

// How long the kernel sends data again before it gives a connection up: from 0.2 s, doubled up to 120 s.
int seconds_of_retries()
{
    int retries = 15;
    if (std::FILE* file = std::fopen("/proc/sys/net/ipv4/tcp_retries2", "re")) {
        if (std::fscanf(file, "%d", &retries) != 1)
            retries = 15;
        std::fclose(file);
    }
    double sum = 0;
    double pause = 0.2;
    for (int i = 0; i <= std::min(retries, 100); ++i, pause = std::min(2 * pause, 120.0))
        sum += pause;
    return static_cast<int>(sum);
}

// The same time for a connection without data on their way, unless MPI has chosen one.
void want_keepalive(int socket)
{
    int on = 0;
    socklen_t size = sizeof on;
    if (getsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, &size) != 0 || on != 0)
        return;
    constexpr int probes = 5;
    const int time = seconds_of_retries();
    const int interval = std::max(1, time / (2 * probes));
    const int idle = std::max(1, time - probes * interval);
    on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

bool tcp_state(int socket, tcp_info& info)
{
    socklen_t size = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
}

} // namespace

Links::Links(const JobHosts& hosts, bool wanted) : hosts_(hosts)
{
    if (!wanted || hosts.empty())
        return;
    broken_pipe_.emplace();
    thread_ = start_beside("to watch the links between hosts", [this] { watch(); });
}

Links::~Links()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

bool Links::sleep(std::chrono::seconds time)
{
    std::unique_lock lock(mutex_);
    return stopped_.wait_for(lock, time, [this] { return stop_; });
}

void Links::watch()
{
    while (!sleep(between_looks)) {
        const char* const host = look();
        if (host == nullptr)
            continue;
        diag::tell_at_once(
            "the connection to host %s is lost: it did not answer for %u s, and MPI or the system gave it "
            "up; the host is down or the network is cut, and the job ends",
            host, lost_after_ms_ / 1000);
        if (!sleep(for_mpi_to_end))
            diag::end_job_beside();
        return;
    }
}

const char* Links::look()
{
    DIR* const directory = opendir("/proc/self/fd");
    if (directory == nullptr)
        return nullptr;
    for (auto& [descriptor, socket] : sockets_)
        socket.seen = false;
    const char* lost = nullptr;
    while (const dirent* const entry = readdir(directory)) {
        const int descriptor = std::atoi(entry->d_name);
        struct stat status {};
        if (entry->d_name[0] == '.' || fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode))
            continue;
        if (const char* const host = look_at(descriptor, status.st_ino))
            lost = host;
    }
    closedir(directory);
    for (auto at = sockets_.begin(); at != sockets_.end();) {
        const Socket socket = at->second;
        if (socket.seen) {
            ++at;
            continue;
        }
        at = sockets_.erase(at);
        if (socket.unanswered_ms < unanswered_at_least_ms)
            continue;
        lost = socket.host;
        lost_after_ms_ = socket.unanswered_ms;
    }
    return lost;
}

const char* Links::look_at(int descriptor, ino_t inode)
{
    Socket& socket = sockets_[descriptor];
    const Socket before = socket;
    if (socket.inode != inode)
        socket = recognize(descriptor, inode);
    socket.seen = true;
    const unsigned unanswered_before = before.unanswered_ms;
    bool given_up = socket.inode != before.inode;
    tcp_info info{};
    if (socket.host != nullptr && tcp_state(descriptor, info)) {
        const bool asking = info.tcpi_probes > 0 || info.tcpi_retransmits > 0;
        given_up = given_up || info.tcpi_state == TCP_CLOSE;
        socket.unanswered_ms = asking ? std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv) : 0;
    }
    if (!given_up || unanswered_before < unanswered_at_least_ms)
        return nullptr;
    lost_after_ms_ = unanswered_before;
    return before.host;
}

Links::Socket Links::recognize(int descriptor, ino_t inode) const
{
    Socket socket;
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    tcp_info info{};
    // Not connected yet, perhaps: asked again next time.
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0)
        return socket;
    socket.inode = inode;
    socket.host = tcp_state(descriptor, info) ? hosts_.at_end_of(descriptor) : nullptr;
    if (socket.host != nullptr)
        want_keepalive(descriptor);
    return socket;
}

} // namespace armci
