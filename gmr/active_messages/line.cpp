#include "gmr/active_messages/line.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/wait.hpp"

#include <poll.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace armci::gmr::active_messages {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for one call of the system: shorter ones cost more than the copy.
constexpr std::size_t held_bytes = 8 * 1024;

// An answer comes this soon, as a rule, where each process has a core.
constexpr std::chrono::microseconds awake_for{200};
constexpr int sleep_milliseconds = 1; // before MPI makes progress for others

} // namespace

bool Line::greet(const Key& key, int milliseconds)
{
    const Hello hello{key.caller};
    const Clock::time_point last = Clock::now() + std::chrono::milliseconds(milliseconds);
    if (send(socket_.get(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        return false;
    while (last_.value == 0) {
        if (Clock::now() > last)
            return false;
        wait_for(POLLIN, sleep_milliseconds);
        std::byte* const to = part_.data() + part_bytes_;
        const ssize_t got = recv(socket_.get(), to, sizeof(Answer) - part_bytes_, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        part_bytes_ += got > 0 ? static_cast<std::size_t>(got) : 0;
        if (part_bytes_ == sizeof(Answer))
            std::memcpy(&last_, part_.data(), sizeof last_);
    }
    part_bytes_ = 0;
    return last_.value == key.server;
}

std::byte* Line::begin(std::size_t most)
{
    if (out_.size() < used_ + sizeof(Header) + most)
        out_.resize(used_ + sizeof(Header) + most);
    return out_.data() + used_ + sizeof(Header);
}

void Line::write(Kind kind, bool wants_answer, std::size_t bytes)
{
    const Header header{static_cast<std::uint32_t>(bytes), kind, wants_answer, 0};
    std::memcpy(out_.data() + used_, &header, sizeof header);
    used_ += sizeof header + bytes;
    ++written_;
    if (wants_answer)
        asked_ = written_;
}

void Line::end(Kind kind, std::size_t bytes)
{
    write(kind, false, bytes);
    if (used_ >= held_bytes)
        send_all();
}

void Line::ask()
{
    if (asked_ == written_)
        return;
    begin(0);
    write(Kind::ask, true, 0);
    send_all();
}

void Line::complete()
{
    ask();
    await(asked_);
}

std::uint64_t Line::fetch(const Fetch& fetch)
{
    std::memcpy(begin(sizeof fetch), &fetch, sizeof fetch);
    write(Kind::fetch, true, sizeof fetch);
    send_all();
    await(written_);
    return last_.value;
}

// The server reads whatever else happens, so there is room in the end.
void Line::send_all()
{
    for (std::size_t sent = 0; sent < used_;) {
        const ssize_t now = send(socket_.get(), out_.data() + sent, used_ - sent, MSG_NOSIGNAL);
        if (now > 0)
            sent += static_cast<std::size_t>(now);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            wait_for(POLLOUT, sleep_milliseconds);
        else if (errno != EINTR)
            is_lost(errno);
    }
    used_ = 0;
}

bool Line::read_answers()
{
    const ssize_t got = recv(socket_.get(), part_.data() + part_bytes_, sizeof(Answer) - part_bytes_, 0);
    if (got == 0)
        is_lost(0);
    if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        is_lost(errno);
    if (got < 0)
        return false;
    part_bytes_ += static_cast<std::size_t>(got);
    if (part_bytes_ == sizeof(Answer)) {
        std::memcpy(&last_, part_.data(), sizeof last_);
        part_bytes_ = 0;
    }
    return true;
}

void Line::await(std::uint64_t message)
{
    const bool stays_awake = wait::spin_rounds() > 0;
    Clock::time_point last{};
    while (last_.done < message) {
        if (read_answers())
            continue;
        if (stays_awake && last == Clock::time_point{})
            last = Clock::now() + awake_for;
        if (stays_awake && Clock::now() < last)
            wait::turn();
        else
            wait_for(POLLIN, sleep_milliseconds);
    }
}

void Line::wait_for(short events, int milliseconds) const
{
    pollfd one{socket_.get(), events, 0};
    if (poll(&one, 1, milliseconds) == 0)
        wait::progress();
}

void Line::is_lost(int error) const
{
    diag::fatal("libarmci", "the connection to process %d is lost: %s", process_,
                error == 0 ? "that process has closed it, or has ended" : std::strerror(error));
}

} // namespace armci::gmr::active_messages
