#include "gmr/active_messages/line.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/wait.hpp"
#include "gmr/active_messages/rest.hpp"
#include "gmr/node/kernels/copy.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace armci::gmr::active_messages {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for one call of the system: shorter ones cost more than the copy.
constexpr std::size_t held_bytes = 8 * 1024;

// Data of puts that are copied to what is held back, and not sent by themselves.
constexpr std::size_t most_copied = 8 * 1024;
// An answer comes this soon, as a rule, where each process has a core.
constexpr std::chrono::microseconds awake_for{200};
constexpr int turns_of_mpi = 4; // between looks into MPI, each of which costs more than a look for the answer
constexpr int sleep_milliseconds = 1; // before MPI makes progress for others

// Buffers that no line uses. Most lines hold nothing.
// The first thread's is destroyed before the program's exit handlers run, which may still call.
thread_local bool has_no_spare = false;
struct Spare : std::vector<std::vector<std::byte>> {
    ~Spare() { has_no_spare = true; }
};
thread_local Spare spare;
constexpr std::size_t most_spare = 4;

} // namespace

bool Line::greet(const Key& key, int milliseconds)
{
    const Hello hello{key.caller};
    const Clock::time_point last = Clock::now() + std::chrono::milliseconds(milliseconds);
    if (send(socket_.get(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        return false;
    std::size_t came = 0;
    while (came < sizeof last_) {
        if (Clock::now() > last)
            return false;
        wait_for(POLLIN, sleep_milliseconds);
        const ssize_t got =
            recv(socket_.get(), reinterpret_cast<std::byte*>(&last_) + came, sizeof last_ - came, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        came += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    return last_.value == key.server;
}

void Line::make_room(std::size_t bytes)
{
    if (out_.empty() && !has_no_spare && !spare.empty()) {
        out_ = std::move(spare.back());
        spare.pop_back();
    }
    if (out_.size() < used_ + bytes)
        out_.resize(used_ + bytes);
}

void Line::give_room_back()
{
    if (!out_.empty() && !has_no_spare && spare.size() < most_spare)
        spare.push_back(std::move(out_));
    out_ = std::vector<std::byte>(); // {} would keep its memory
}

std::byte* Line::begin(std::size_t most)
{
    make_room(sizeof(Header) + most);
    return out_.data() + used_ + sizeof(Header);
}

void Line::write(Kind kind, bool wants_answer, std::size_t bytes, std::size_t others)
{
    const Header header{static_cast<std::uint32_t>(bytes + others), kind, wants_answer, 0};
    std::memcpy(out_.data() + used_, &header, sizeof header);
    used_ += sizeof header + bytes;
    ++written_;
    if (wants_answer)
        asked_ = written_;
    if (kind != Kind::get && kind != Kind::ask)
        last_write_ = written_;
}

void Line::end(Kind kind, std::size_t bytes)
{
    write(kind, false, bytes);
    if (used_ >= held_bytes)
        send_all();
}

void Line::end_with(Kind kind, std::size_t bytes, std::span<const std::byte> tail)
{
    write(kind, false, bytes, tail.size());
    send_all(out_.data(), std::exchange(used_, 0), true);
    send_all(tail.data(), tail.size(), false);
    give_room_back();
}

void Line::put(const Run& there, const std::byte* source, std::int64_t stride)
{
    const std::uint64_t bytes = there.count * there.bytes;
    const std::size_t padding = padded(bytes) - bytes;
    std::byte* to = begin(sizeof there + (bytes <= most_copied ? bytes + padding : 0));
    std::memcpy(to, &there, sizeof there);
    write(Kind::put, false, sizeof there);
    to += sizeof there;
    if (bytes <= most_copied) {
        for (std::uint64_t segment = 0; segment < there.count; ++segment, source += stride, to += there.bytes)
            kernels::copy(to, source, there.bytes);
        used_ += bytes + padding;
        if (used_ >= held_bytes)
            send_all();
        return;
    }
    Segments data;
    data.add({reinterpret_cast<std::uint64_t>(source), stride, there.count, there.bytes});
    while (!data.empty()) {
        if (const std::span<const std::byte> first = data.first(); first.size() >= least_direct) {
            send_all(out_.data(), std::exchange(used_, 0), true);
            send_all(first.data(), first.size(), false);
            data.drop(first.size());
        } else {
            make_room(chunk_bytes);
            used_ += data.read({out_.data() + used_, chunk_bytes});
            send_all();
        }
    }
    constexpr std::array<std::byte, sizeof(std::uint64_t)> zeros{};
    send_all(zeros.data(), padding, false);
    give_room_back();
}

void Line::begin_get()
{
    begun_bytes_ = 0;
    begun_data_ = 0;
}

void Line::add_to_get(const Run& there, const Run& here)
{
    if (begun_bytes_ == most_runs * sizeof there) { // what is under way keeps its room, so it is kept short
        end_message_of_get();
        send_all();
        read_answers();
    }
    std::byte* const message = begin(begun_bytes_ + sizeof there);
    std::memcpy(message + begun_bytes_, &there, sizeof there);
    begun_bytes_ += sizeof there;
    begun_data_ += there.count * there.bytes;
    landing_.add(here);
}

std::uint64_t Line::end_get()
{
    end_message_of_get();
    if (gets_.size() <= 1 || used_ >= held_bytes) // others go together, when this process waits or soon after
        send_all();
    return last_get_;
}

void Line::end_message_of_get()
{
    if (begun_bytes_ == 0)
        return;
    write(Kind::get, true, begun_bytes_);
    last_get_ = written_;
    gets_.push({written_, begun_data_});
    begin_get();
}

void Line::ask()
{
    if (!is_written())
        return;
    if (asked_ < last_write_) {
        begin(0);
        write(Kind::ask, true, 0);
    }
    send_all();
}

void Line::complete()
{
    ask();
    await(last_write_);
}

std::uint64_t Line::fetch(const Fetch& fetch)
{
    std::memcpy(begin(sizeof fetch), &fetch, sizeof fetch);
    write(Kind::fetch, true, sizeof fetch);
    await(written_);
    return last_.value;
}

// The server reads as soon as its answers are read, so there is room in the end.
void Line::send_all(const std::byte* data, std::size_t bytes, bool more)
{
    while (bytes > 0) {
        const ssize_t now = send(socket_.get(), data, bytes, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
        if (now > 0) {
            data += now;
            bytes -= static_cast<std::size_t>(now);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!read_answers())
                wait_for(POLLOUT | POLLIN, sleep_milliseconds);
        } else if (errno != EINTR) {
            is_lost(errno);
        }
    }
}

void Line::send_all()
{
    if (used_ == 0)
        return;
    send_all(out_.data(), std::exchange(used_, 0), false);
    give_room_back();
}

void Line::send_some()
{
    const ssize_t now = send(socket_.get(), out_.data(), used_, MSG_NOSIGNAL);
    if (now > 0) {
        used_ -= static_cast<std::size_t>(now);
        std::memmove(out_.data(), out_.data() + now, used_);
    }
}

bool Line::read_answers()
{
    std::array<std::byte, chunk_bytes> in;
    const bool is_direct = rest_.empty() && expected_ > 0 && landing_.first().size() >= least_direct;
    const std::size_t before = rest_.size();
    std::copy(rest_.begin(), rest_.end(), in.begin());
    const std::span<std::byte> to = is_direct ? landing_.first() : std::span<std::byte>(in).subspan(before);
    const ssize_t got = recv(socket_.get(), to.data(), to.size(), 0);
    if (got == 0)
        is_lost(0);
    if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        is_lost(errno);
    if (got < 0)
        return false;
    const auto bytes = static_cast<std::size_t>(got);
    if (is_direct) {
        landing_.drop(bytes);
        expected_ -= bytes;
        if (expected_ == 0)
            end_data();
        return true;
    }
    const std::span<const std::byte> left = take(std::span<const std::byte>(in).first(before + bytes));
    keep(rest_, left);
    return true;
}

std::span<const std::byte> Line::take(std::span<const std::byte> came)
{
    for (;;) {
        if (expected_ > 0) {
            const std::size_t bytes =
                landing_.write(came.first(std::min<std::uint64_t>(came.size(), expected_)));
            came = came.subspan(bytes);
            expected_ -= bytes;
            if (expected_ > 0)
                return came;
            end_data();
        }
        Answer answer{};
        if (came.size() < sizeof answer)
            return came;
        std::memcpy(&answer, came.data(), sizeof answer);
        came = came.subspan(sizeof answer);
        begin_answer(answer);
    }
}

void Line::begin_answer(const Answer& answer)
{
    if (gets_.empty() || gets_.front().message != answer.done) {
        last_ = answer;
        return;
    }
    if (answer.value != gets_.front().bytes)
        is_lost(EPROTO);
    expected_ = answer.value;
}

void Line::end_data()
{
    last_ = {gets_.front().message, 0};
    gets_.pop();
}

void Line::await(std::uint64_t message)
{
    send_all();
    const bool stays_awake = wait::spin_rounds() > 0;
    Clock::time_point last{};
    wait::Serving serving;
    for (int turns = 0; last_.done < message; ++turns) {
        if (read_answers())
            continue;
        if (stays_awake && last == Clock::time_point{})
            last = Clock::now() + awake_for;
        if (stays_awake && Clock::now() < last) {
            serving.serve();
            if (turns % turns_of_mpi == 0)
                wait::turn();
        } else {
            serving.stop();
            wait_for(POLLIN, sleep_milliseconds);
        }
    }
}

bool Line::has_answer(std::uint64_t message)
{
    if (last_.done < message) {
        send_all();
        while (last_.done < message && read_answers()) {
        }
    }
    return last_.done >= message;
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
