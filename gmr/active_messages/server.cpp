#include "gmr/active_messages/server.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/statistics.hpp"
#include "armci/base/side_thread.hpp"
#include "armci/base/wait.hpp"
#include "gmr/active_messages/carry_out.hpp"
#include "gmr/active_messages/rest.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace armci::gmr::active_messages {
namespace {

constexpr std::size_t buffer_bytes = 256 * 1024; // several messages at once
static_assert(buffer_bytes > sizeof(Header) + most_bytes);

// Of one connection before others have their turn.
constexpr int most_reads = 4;

} // namespace

Server::Server(const InternetAddress& address, const Key& key)
    : key_(key), listener_(listen_at(address, place_)), epoll_(epoll_create1(EPOLL_CLOEXEC)),
      epoll_of_thread_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))
{
    if (epoll_ < 0 || epoll_of_thread_ < 0 || wake_ < 0 || timer_ < 0)
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
    ::close(epoll_of_thread_);
    ::close(wake_);
    ::close(timer_);
}

bool Server::start(std::function<bool()> send_held)
{
    send_held_ = std::move(send_held);
    buffer_.resize(buffer_bytes);
    watch(epoll_, listener_.get(), EPOLLIN, true);
    watch(epoll_of_thread_, epoll_, EPOLLIN, true);
    watch(epoll_of_thread_, wake_, EPOLLIN, true);
    watch(epoll_of_thread_, timer_, EPOLLIN, true);
    thread_ = start_beside("to carry out what other nodes ask for", [this] { run(); });
    return thread_.joinable();
}

void Server::send_held_later()
{
    if (timer_runs_.load() || timer_runs_.exchange(true))
        return;
    constexpr itimerspec once{{0, 0}, {0, 1'000'000}};
    timerfd_settime(timer_, 0, &once, nullptr);
}

void Server::watch(int epoll, int descriptor, unsigned events, bool is_new) const
{
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

void Server::run()
{
    prctl(PR_SET_NAME, "armci-messages");
    ask_for_short_turns();
    wait::leave_mpi_alone();
    epoll_event events[3];
    while (!stop_.load(std::memory_order_relaxed)) {
        const int count = epoll_wait(epoll_of_thread_, events, 3, -1);
        for (int i = 0; i < count; ++i) {
            if (events[i].data.fd == epoll_) {
                const std::lock_guard lock(guard_);
                serve_all();
            } else if (events[i].data.fd == timer_) {
                std::uint64_t times = 0;
                [[maybe_unused]] const ssize_t got = ::read(timer_, &times, sizeof times);
                timer_runs_.store(false);
                if (listener_rests_.exchange(false))
                    watch(epoll_, listener_.get(), EPOLLIN, false);
                if (send_held_())
                    send_held_later();
            }
        }
    }
}

void Server::serve_all()
{
    epoll_event events[32];
    const int count = epoll_wait(epoll_, events, 32, 0);
    for (int i = 0; i < count; ++i) {
        const int descriptor = events[i].data.fd;
        if (descriptor == listener_.get()) {
            accept_all();
            continue;
        }
        const auto found = streams_.find(descriptor);
        if (found != streams_.end() && !serve(found->second))
            streams_.erase(found);
    }
}

// The last to leave rouses the thread after all that kept it asleep: each did so between its steps of
// `beside_`, which are ordered (seq_cst).
void Server::enter()
{
    if (beside_.fetch_add(1) == 0)
        watch(epoll_of_thread_, epoll_, 0, false);
}

void Server::leave()
{
    if (beside_.fetch_sub(1) == 1)
        watch(epoll_of_thread_, epoll_, EPOLLIN, false);
}

// What is carried out may wait for a lock, and come here again.
void Server::serve_beside()
{
    static constinit thread_local bool serves = false;
    if (serves)
        return;
    const std::unique_lock lock(guard_, std::try_to_lock);
    if (!lock)
        return;
    serves = true;
    serve_all();
    serves = false;
}

// The caller waits, gives up in the end and ends the job, and does not know why it was not accepted. The
// listener is readable all the time, so it is left alone for a millisecond. `listener_rests_` is set before
// the timer is asked for, and read by the timer's turn after it says that it runs no more (seq_cst), so one
// turn finds it.
void Server::rest_where_short(int error)
{
    const bool is_short = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
    if (!is_short)
        return;
    if (!std::exchange(has_told_of_callers_, true))
        diag::tell_at_once("processes of other nodes cannot connect to this one: %s%s", std::strerror(error),
                           error == EMFILE ? "; raise ulimit -n, or close files" : "");
    watch(epoll_, listener_.get(), 0, false);
    listener_rests_.store(true);
    send_held_later();
}

void Server::accept_all()
{
    for (;;) {
        Socket socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!socket) {
            rest_where_short(errno);
            return;
        }
        send_at_once(socket.get());
        const int descriptor = socket.get();
        watch(epoll_, descriptor, EPOLLIN, true);
        streams_[descriptor].socket = std::move(socket);
    }
}

bool Server::serve(Stream& stream)
{
    bool has_read_all = false;
    for (int reads = 0; reads < most_reads && send_out(stream); ++reads) {
        await_room(stream, false);
        if (has_read_all && stream.rest.empty())
            return true;
        const std::uint64_t done_before = stream.done;
        const Came came = read(stream);
        observe::statistics::count_messages(stream.done - done_before);
        if (came == Came::end)
            return false;
        has_read_all = came == Came::all;
        if (has_read_all && !stream.has_something_to_send())
            return true;
    }
    await_room(stream, stream.has_something_to_send());
    return true;
}

Server::Came Server::read(Stream& stream)
{
    const bool is_direct =
        stream.rest.empty() && !stream.landing.empty() && stream.landing.first().size() >= least_direct;
    const std::size_t before = stream.rest.size();
    std::copy(stream.rest.begin(), stream.rest.end(), buffer_.begin());
    const std::span<std::byte> to =
        is_direct ? stream.landing.first() : std::span<std::byte>(buffer_).subspan(before);
    const ssize_t got = recv(stream.socket.get(), to.data(), to.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        return Came::end;
    const std::size_t came = got > 0 ? static_cast<std::size_t>(got) : 0;
    if (is_direct) {
        stream.landing.drop(came);
    } else {
        std::span<const std::byte> bytes(buffer_.data(), before + came);
        if (!take_messages(stream, bytes))
            return Came::end;
        keep(stream.rest, bytes);
    }
    return came < to.size() ? Came::all : Came::part;
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
    // Short answers go together.
    while (stream.leaving.empty() && stream.out.size() - stream.sent < chunk_bytes) {
        if (!take_data(stream, bytes))
            return true;
        Header header{};
        if (bytes.size() < sizeof header)
            return true;
        std::memcpy(&header, bytes.data(), sizeof header);
        if (header.bytes <= most_bytes && bytes.size() < sizeof header + header.bytes)
            return true;
        if (header.bytes > most_bytes ||
            !take_message(stream, header, bytes.subspan(sizeof header, header.bytes))) {
            diag::tell_at_once("a message of another process makes no sense (%u bytes of kind %d); this is a "
                               "mistake of libarmci or of the network, and the job ends",
                               header.bytes, static_cast<int>(header.kind));
            diag::end_job_beside();
        }
        bytes = bytes.subspan(sizeof header + header.bytes);
    }
    return true;
}

bool Server::take_data(Stream& stream, std::span<const std::byte>& bytes)
{
    bytes = bytes.subspan(stream.landing.write(bytes));
    if (!stream.landing.empty())
        return false;
    const std::size_t padding = std::min(stream.padding, bytes.size());
    bytes = bytes.subspan(padding);
    stream.padding -= padding;
    return stream.padding == 0;
}

bool Server::take_message(Stream& stream, const Header& header, std::span<const std::byte> message)
{
    ++stream.done;
    if (header.kind == Kind::get)
        return answer_get(stream, message);
    if (header.kind == Kind::put) {
        Run run{};
        if (message.size() != sizeof run)
            return false;
        std::memcpy(&run, message.data(), sizeof run);
        stream.landing.add(run);
        stream.padding = padded(run.count * run.bytes) - run.count * run.bytes;
        return !header.wants_answer;
    }
    std::uint64_t old = 0;
    if (!carry_out(header.kind, message, old))
        return false;
    if (header.wants_answer)
        answer(stream, old);
    return true;
}

bool Server::answer_get(Stream& stream, std::span<const std::byte> message)
{
    if (message.empty() || message.size() % sizeof(Run) != 0)
        return false;
    std::uint64_t bytes = 0;
    for (; !message.empty(); message = message.subspan(sizeof(Run))) {
        Run run{};
        std::memcpy(&run, message.data(), sizeof run);
        stream.leaving.add(run);
        bytes += run.count * run.bytes;
    }
    answer(stream, bytes);
    if (!stream.leaving.empty() && stream.leaving.first().size() < least_direct)
        append_copies(stream, std::min<std::uint64_t>(bytes, chunk_bytes));
    return true;
}

void Server::answer(Stream& stream, std::uint64_t value)
{
    const Answer answer{stream.done, value};
    const auto* const bytes = reinterpret_cast<const std::byte*>(&answer);
    stream.out.insert(stream.out.end(), bytes, bytes + sizeof answer);
}

void Server::append_copies(Stream& stream, std::size_t bytes)
{
    const std::size_t before = stream.out.size();
    stream.out.resize(before + bytes);
    stream.out.resize(before + stream.leaving.read(std::span<std::byte>(stream.out).subspan(before)));
}

bool Server::send_out(Stream& stream)
{
    while (stream.has_something_to_send()) {
        const bool is_copied = stream.sent < stream.out.size();
        if (!is_copied && stream.leaving.first().size() < least_direct) {
            append_copies(stream, chunk_bytes);
            continue;
        }
        const std::span<const std::byte> data =
            is_copied ? std::span<const std::byte>(stream.out).subspan(stream.sent) : stream.leaving.first();
        const int more = is_copied && !stream.leaving.empty() ? MSG_MORE : 0;
        const ssize_t sent = send(stream.socket.get(), data.data(), data.size(), MSG_NOSIGNAL | more);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) { // the next read tells the same
            stream.sent = stream.out.size();
            stream.leaving = {};
        } else if (is_copied) {
            stream.sent += static_cast<std::size_t>(sent);
        } else {
            stream.leaving.drop(static_cast<std::size_t>(sent));
        }
        if (stream.sent == stream.out.size()) {
            stream.out = std::vector<std::byte>(); // {} would keep its memory
            stream.sent = 0;
        }
    }
    return true;
}

void Server::await_room(Stream& stream, bool awaits)
{
    if (std::exchange(stream.awaits_room, awaits) != awaits)
        watch(epoll_, stream.socket.get(), awaits ? EPOLLOUT : EPOLLIN, false);
}

} // namespace armci::gmr::active_messages
