#include "armci/service/sockets.hpp"

#include "armci/base/own_sockets.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace armci {
namespace {

// Between scans, where the number of the next descriptor tells of no new one: twice as long each time.
constexpr std::chrono::milliseconds least_between_scans{20};
constexpr std::chrono::milliseconds most_between_scans{10'000};
constexpr int most_fruitless = 16;

int option(int socket, int name)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

// True for a TCP socket that is connected, begins to be, or listens.
bool is_tcp_in_use(int socket)
{
    tcp_info info{};
    socklen_t size = sizeof info;
    const int domain = option(socket, SO_DOMAIN);
    return (domain == AF_INET || domain == AF_INET6) && option(socket, SO_TYPE) == SOCK_STREAM &&
           getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state != TCP_CLOSE;
}

void add(int epoll, int descriptor, std::uint32_t events)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int unread_bytes(int socket)
{
    int bytes = 0;
    return ioctl(socket, FIONREAD, &bytes) == 0 ? bytes : -1;
}

bool is_readable(int socket)
{
    pollfd one{socket, POLLIN, 0};
    return poll(&one, 1, 0) > 0;
}

} // namespace

Sockets::Sockets(const JobHosts& hosts) : hosts_(hosts), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    begin_anew();
}

Sockets::~Sockets()
{
    ::close(room_);
    ::close(epoll_);
    ::close(wake_);
}

void Sockets::begin_anew()
{
    if (epoll_ >= 0) {
        ::close(room_);
        ::close(epoll_);
    }
    known_.clear();
    last_scan_ = {};
    between_scans_ = least_between_scans;
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    room_ = epoll_create1(EPOLL_CLOEXEC);
    add(epoll_, wake_, EPOLLIN);
    add(epoll_, room_, EPOLLIN);
}

// Room is told once, by edge: a socket has room nearly always.
void Sockets::watch(int descriptor)
{
    add(epoll_, descriptor, EPOLLIN);
    add(room_, descriptor, EPOLLOUT | EPOLLET);
}

// The system gives the lowest free number to what is opened next.
bool Sockets::is_new_descriptor_open()
{
    const int lowest = fcntl(wake_, F_DUPFD_CLOEXEC, 0);
    if (lowest >= 0)
        ::close(lowest);
    return lowest != std::exchange(lowest_free_, lowest);
}

void Sockets::look()
{
    const Clock::time_point now = Clock::now();
    if (!is_new_descriptor_open() && now - last_scan_ < between_scans_)
        return;
    last_scan_ = now;
    between_scans_ = scan() ? least_between_scans : std::min(2 * between_scans_, most_between_scans);
}

bool Sockets::scan()
{
    DIR* const directory = opendir("/proc/self/fd");
    if (directory == nullptr)
        return false;
    leads_away_ = false;
    bool found_new = false;
    while (const dirent* const entry = readdir(directory)) {
        const int descriptor = std::atoi(entry->d_name);
        struct stat status {};
        if (entry->d_name[0] == '.' || fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode) ||
            own_sockets::contains(descriptor) || !is_tcp_in_use(descriptor))
            continue;
        leads_away_ = hosts_.at_end_of(descriptor) != nullptr || leads_away_;
        Socket& socket = known_[descriptor];
        if (socket.inode == status.st_ino && socket.fruitless < most_fruitless)
            continue;
        found_new = found_new || socket.inode != status.st_ino;
        socket = {.inode = status.st_ino};
        watch(descriptor);
    }
    closedir(directory);
    return found_new;
}

bool Sockets::wait(std::chrono::nanoseconds time)
{
    epoll_event events[16];
    int count = -1;
    errno = ENOSYS;
#ifdef SYS_epoll_pwait2 // not by name, which glibc has from 2.35 on
    const timespec limit{time.count() / 1'000'000'000, time.count() % 1'000'000'000};
    count = static_cast<int>(syscall(SYS_epoll_pwait2, epoll_, events, 16, &limit, nullptr, 0));
#endif
    if (count < 0 && errno != EINTR) // containers' rules may refuse what they do not know by other errors
        count = epoll_wait(epoll_, events, 16, 1 + static_cast<int>(time.count() / 1'000'000));
    event_count_ = 0;
    bool has_room = false;
    for (int i = 0; i < count; ++i) {
        const int descriptor = events[i].data.fd;
        std::uint64_t wakes = 0;
        epoll_event edges[16];
        if (descriptor == wake_) [[maybe_unused]]
            const ssize_t got = read(wake_, &wakes, sizeof wakes);
        else if (descriptor == room_)
            has_room = epoll_wait(room_, edges, 16, 0) > 0 || has_room;
        else
            events_[event_count_++] = {descriptor,
                                       known_[descriptor].fruitless > 0 ? unread_bytes(descriptor) : 0};
    }
    return has_room || event_count_ > 0;
}

void Sockets::wake()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = write(wake_, &one, sizeof one);
}

void Sockets::note_what_was_read()
{
    for (std::size_t i = 0; i < event_count_; ++i) {
        const auto [descriptor, bytes] = events_[i];
        Socket& socket = known_[descriptor];
        // What listens, or was closed by its peer, is readable with no byte to read.
        const bool was_read =
            !is_readable(descriptor) || (socket.fruitless > 0 && unread_bytes(descriptor) != bytes);
        if (was_read)
            socket.fruitless = 0;
        else if (++socket.fruitless == most_fruitless)
            ignore(descriptor);
    }
    event_count_ = 0;
}

void Sockets::ignore(int descriptor)
{
    // A connection that is closed here, but lives on in a child of this process, keeps coming up and cannot
    // be taken out.
    if (epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr) != 0)
        begin_anew();
}

} // namespace armci
