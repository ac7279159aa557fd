#include "gmr/active_messages/server.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/statistics.hpp"
#include "armci/base/side_thread.hpp"
#include "armci/base/wait.hpp"
#include "gmr/active_messages/carry_out.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace armci::gmr::active_messages {
namespace {

constexpr std::size_t buffer_bytes = 256 * 1024; // several messages at once
static_assert(buffer_bytes > sizeof(Header) + most_bytes);

// Of one connection before others have their turn.
constexpr int most_reads = 4;

} // namespace

Server::Server(const InternetAddress& address, const Key& key)
    : key_(key), listener_(listen_at(address, place_)), epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (epoll_ < 0 || wake_ < 0)
        place_.port = 0;
}

Server::~Server()
{
    if (thread_.joinable()) {
        stop_.store(true, std::memory_order_relaxed);
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t put = write(wake_, &one, sizeof one);
        thread_.join();
    }
    ::close(epoll_);
    ::close(wake_);
}

bool Server::start()
{
    buffer_.resize(buffer_bytes);
    watch(wake_, EPOLLIN, true);
    watch(listener_.get(), EPOLLIN, true);
    thread_ = start_beside("to carry out what other nodes ask for", [this] { run(); });
    return thread_.joinable();
}

void Server::watch(int descriptor, unsigned events, bool is_new)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    epoll_ctl(epoll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

void Server::run()
{
    prctl(PR_SET_NAME, "armci-messages");
    ask_for_short_turns();
    wait::leave_mpi_alone();
    epoll_event events[32];
    while (!stop_.load(std::memory_order_relaxed)) {
        const int count = epoll_wait(epoll_, events, 32, -1);
        for (int i = 0; i < count; ++i) {
            const int descriptor = events[i].data.fd;
            if (descriptor == listener_.get()) {
                accept_all();
                continue;
            }
            const auto found = streams_.find(descriptor);
            if (found == streams_.end())
                continue; // wake_
            if ((events[i].events & EPOLLOUT) != 0)
                send_answers(found->second);
            if (!serve(found->second))
                streams_.erase(found);
        }
    }
}

void Server::accept_all()
{
    for (;;) {
        Socket socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!socket)
            return;
        send_at_once(socket.get());
        const int descriptor = socket.get();
        watch(descriptor, EPOLLIN, true);
        streams_[descriptor].socket = std::move(socket);
    }
}

bool Server::serve(Stream& stream)
{
    for (int reads = 0; reads < most_reads; ++reads) {
        std::copy(stream.rest.begin(), stream.rest.end(), buffer_.begin());
        const std::size_t before = stream.rest.size();
        const ssize_t got = recv(stream.socket.get(), buffer_.data() + before, buffer_.size() - before, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        if (got == 0)
            return false;
        std::span<const std::byte> bytes(buffer_.data(), before + static_cast<std::size_t>(got));
        const std::uint64_t done_before = stream.done;
        const bool was_full = bytes.size() == buffer_.size();
        if (!take_messages(stream, bytes))
            return false;
        stream.rest.assign(bytes.begin(), bytes.end());
        observe::statistics::count_messages(stream.done - done_before);
        if (!was_full)
            return true;
    }
    return true;
}

bool Server::take_messages(Stream& stream, std::span<const std::byte>& bytes)
{
    if (!stream.is_known) {
        Hello hello{};
        if (bytes.size() < sizeof hello)
            return true;
        std::memcpy(&hello, bytes.data(), sizeof hello);
        if (hello.key != key_.caller)
            return false; // a stranger
        bytes = bytes.subspan(sizeof hello);
        stream.is_known = true;
        answer(stream, key_.server);
    }
    for (;;) {
        Header header{};
        if (bytes.size() < sizeof header)
            return true;
        std::memcpy(&header, bytes.data(), sizeof header);
        if (header.bytes <= most_bytes && bytes.size() < sizeof header + header.bytes)
            return true;
        std::uint64_t old = 0;
        if (header.bytes > most_bytes ||
            !carry_out(header.kind, bytes.subspan(sizeof header, header.bytes), old)) {
            diag::tell_at_once("a message of another process makes no sense (%u bytes of kind %d); this is a "
                               "mistake of libarmci or of the network, and the job ends",
                               header.bytes, static_cast<int>(header.kind));
            diag::end_job_beside();
        }
        bytes = bytes.subspan(sizeof header + header.bytes);
        ++stream.done;
        if (header.wants_answer)
            answer(stream, old);
    }
}

void Server::answer(Stream& stream, std::uint64_t value)
{
    const Answer answer{stream.done, value};
    const auto* const bytes = reinterpret_cast<const std::byte*>(&answer);
    stream.answers.insert(stream.answers.end(), bytes, bytes + sizeof answer);
    send_answers(stream);
}

// What the socket does not take waits until it has room.
void Server::send_answers(Stream& stream)
{
    const ssize_t sent =
        send(stream.socket.get(), stream.answers.data(), stream.answers.size(), MSG_NOSIGNAL);
    if (sent > 0)
        stream.answers.erase(stream.answers.begin(), stream.answers.begin() + sent);
    if (stream.answers.empty() == stream.awaits_room)
        watch(stream.socket.get(), (stream.awaits_room = !stream.awaits_room) ? EPOLLIN | EPOLLOUT : EPOLLIN,
              false);
}

} // namespace armci::gmr::active_messages
