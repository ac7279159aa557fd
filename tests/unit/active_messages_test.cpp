// The server and the origin's line, in one process: messages in pieces, strangers, connections that end.
#include "gmr/active_messages/active_messages.hpp"
#include "gmr/active_messages/carry_out.hpp"
#include "gmr/active_messages/line.hpp"
#include "gmr/active_messages/rest.hpp"
#include "gmr/active_messages/server.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> no_descriptors{false};
std::atomic<long> refusals{0};

} // namespace

// In front of the system's: refuses as where a process has no descriptor left.
extern "C" int accept4(int listener, sockaddr* address, socklen_t* length, int flags)
{
    if (no_descriptors) {
        ++refusals;
        errno = EMFILE;
        return -1;
    }
    return static_cast<int>(syscall(SYS_accept4, listener, address, length, flags));
}

namespace armci::gmr::active_messages {
namespace {

constexpr Key the_key{{11, 12}, 13};
using Part = Run; // in tests Run is a member of GoogleTest

constexpr int patience = 10'000; // milliseconds

class ActiveMessages : public testing::Test {
protected:
    Server server{loopback_address(), the_key};
    long word = 0;

    void SetUp() override
    {
        ASSERT_NE(0, server.place().port);
        ASSERT_TRUE(server.start([] { return false; }));
    }

    Fetch fetch_of(Operation operation, std::uint64_t operand = 0, std::uint64_t expected = 0)
    {
        return {reinterpret_cast<std::uintptr_t>(&word), operation, sizeof word, operand, expected};
    }
    // A connection that has said who it is.
    void call(std::optional<Line>& line, const Key& key = the_key, bool is_good = true)
    {
        Socket socket = connect_to(server.place(), patience);
        ASSERT_TRUE(static_cast<bool>(socket));
        line.emplace(std::move(socket), 0);
        EXPECT_EQ(is_good, line->greet(key, patience));
    }
};

void send_bytes(const Socket& socket, const void* bytes, std::size_t count)
{
    ASSERT_EQ(static_cast<ssize_t>(count), send(socket.get(), bytes, count, MSG_NOSIGNAL));
}

TEST_F(ActiveMessages, words_are_changed_and_their_old_values_come_back)
{
    std::optional<Line> line;
    call(line);
    word = 5;
    EXPECT_EQ(5U, line->fetch(fetch_of(Operation::add, 3)));
    EXPECT_EQ(8U, line->fetch(fetch_of(Operation::swap, 100)));
    EXPECT_EQ(100U, line->fetch(fetch_of(Operation::compare_and_swap, 1, 99)));
    EXPECT_EQ(100U, line->fetch(fetch_of(Operation::compare_and_swap, 1, 100)));
    EXPECT_EQ(1U, line->fetch(fetch_of(Operation::read)));
    EXPECT_EQ(1, word);
    Fetch half = fetch_of(Operation::add, static_cast<std::uint32_t>(-3));
    half.width = 4;
    EXPECT_EQ(1U, line->fetch(half));
    int low = 0;
    std::memcpy(&low, &word, sizeof low);
    EXPECT_EQ(-2, low);
}

TEST_F(ActiveMessages, a_stranger_is_turned_away)
{
    std::optional<Line> line;
    call(line, {{11, 99}, 13}, false);
    call(line, {{11, 12}, 99}, false); // the server of another job
    const Socket silent = connect_to(server.place(), patience);
    std::optional<Line> good; // who says nothing keeps nobody waiting
    call(good);
    EXPECT_EQ(0U, good->fetch(fetch_of(Operation::add, 1)));
}

// The server tries once a millisecond, and sleeps meanwhile.
TEST_F(ActiveMessages, a_caller_waits_while_descriptors_are_short)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    no_descriptors = true;
    std::thread caller([this] {
        std::optional<Line> line;
        call(line);
        EXPECT_EQ(0U, line->fetch(fetch_of(Operation::add, 1)));
    });
    while (refusals < 20)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const long tries = refusals;
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    no_descriptors = false;
    caller.join();
    EXPECT_LE(tries, passed.count() + 2);
    EXPECT_EQ(1, word);
}

TEST_F(ActiveMessages, a_message_may_come_in_pieces)
{
    const Socket socket = connect_to(server.place(), patience);
    const Hello hello{the_key.caller};
    const Header header{sizeof(Fetch), Kind::fetch, true, 0};
    const Fetch fetch = fetch_of(Operation::add, 7);
    std::vector<std::byte> all(sizeof hello + 2 * (sizeof header + sizeof fetch));
    std::byte* to = all.data();
    std::memcpy(to, &hello, sizeof hello);
    to += sizeof hello;
    for (int i = 0; i < 2; ++i) {
        std::memcpy(to, &header, sizeof header);
        std::memcpy(to + sizeof header, &fetch, sizeof fetch);
        to += sizeof header + sizeof fetch;
    }
    for (const std::byte& byte : all) {
        send_bytes(socket, &byte, 1);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    std::array<Answer, 3> answers{}; // the first to the hello
    std::size_t got = 0;
    while (got < sizeof answers) {
        pollfd one{socket.get(), POLLIN, 0};
        ASSERT_EQ(1, poll(&one, 1, patience));
        const ssize_t now =
            recv(socket.get(), reinterpret_cast<std::byte*>(answers.data()) + got, sizeof answers - got, 0);
        ASSERT_LT(0, now);
        got += static_cast<std::size_t>(now);
    }
    EXPECT_EQ(the_key.server, answers[0].value);
    EXPECT_EQ(1U, answers[1].done);
    EXPECT_EQ(0U, answers[1].value);
    EXPECT_EQ(2U, answers[2].done);
    EXPECT_EQ(7U, answers[2].value);
    EXPECT_EQ(14, word);
}

// A caller that ends in the middle of a message changes nothing by it.
TEST_F(ActiveMessages, a_connection_may_end_anywhere)
{
    for (const std::size_t part : {std::size_t{1}, sizeof(Header), sizeof(Header) + 8}) {
        const Socket socket = connect_to(server.place(), patience);
        const Hello hello{the_key.caller};
        send_bytes(socket, &hello, sizeof hello);
        std::array<std::byte, sizeof(Header) + sizeof(Fetch)> message{};
        const Header header{sizeof(Fetch), Kind::fetch, true, 0};
        const Fetch fetch = fetch_of(Operation::add, 1);
        std::memcpy(message.data(), &header, sizeof header);
        std::memcpy(message.data() + sizeof header, &fetch, sizeof fetch);
        send_bytes(socket, message.data(), part);
        shutdown(socket.get(), SHUT_WR);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::optional<Line> line;
    call(line);
    EXPECT_EQ(0U, line->fetch(fetch_of(Operation::read)));
}

// complete() sends short messages that were held back.
TEST_F(ActiveMessages, an_order_to_complete_sends_what_is_held)
{
    std::optional<Line> line;
    call(line);
    std::vector<double> sums(4);
    const Sums head{static_cast<std::uint64_t>(kernels::Element::double_), {}};
    const double one = 1;
    for (int i = 0; i < 3; ++i) {
        std::byte* const message = line->begin(most_bytes);
        Sums scaled = head;
        std::memcpy(scaled.scale.data(), &one, sizeof one);
        const Part run{reinterpret_cast<std::uintptr_t>(sums.data()), 16, 2,
                       sizeof(double)}; // every other one
        const std::array<double, 2> terms{1.5, 2.5};
        std::memcpy(message, &scaled, sizeof scaled);
        std::memcpy(message + sizeof scaled, &run, sizeof run);
        std::memcpy(message + sizeof scaled + sizeof run, terms.data(), sizeof terms);
        line->end(Kind::accumulate, sizeof scaled + sizeof run + sizeof terms);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(0, sums[0]);
    line->complete();
    EXPECT_EQ((std::vector<double>{4.5, 0, 7.5, 0}), sums);
    line->complete(); // nothing left, and nothing asked
}

// A get, and what is got, before and behind puts.
TEST_F(ActiveMessages, puts_and_gets_of_any_length_keep_their_order)
{
    std::optional<Line> line;
    call(line);
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{100},
                                      std::uint64_t{5000}, std::uint64_t{17000}, std::uint64_t{3000000}}) {
        std::vector<std::byte> there(2 * bytes);
        std::vector<std::byte> before(2 * bytes);
        std::vector<std::byte> behind(2 * bytes);
        const std::vector<std::byte> source(bytes + 3, std::byte{9});
        const auto run_of = [&](std::vector<std::byte>& memory) {
            return Part{reinterpret_cast<std::uintptr_t>(memory.data()), static_cast<std::int64_t>(bytes), 2,
                        bytes};
        };
        const auto get = [&](std::vector<std::byte>& into) {
            line->begin_get();
            line->add_to_get(run_of(there), run_of(into));
            return line->end_get();
        };
        const std::uint64_t first = get(before);
        line->put(run_of(there), source.data(), 3); // the second overlaps the first at its source
        const std::uint64_t second = get(behind);
        line->await(first);
        EXPECT_EQ(2 * bytes,
                  static_cast<std::uint64_t>(std::count(before.begin(), before.end(), std::byte{})));
        line->await(second);
        EXPECT_EQ(2 * bytes,
                  static_cast<std::uint64_t>(std::count(behind.begin(), behind.end(), std::byte{9})));
        EXPECT_FALSE(line->is_written()); // the answer to the get told of the put
    }
}

// The caller reads no answer before all is sent, and the connection holds neither.
TEST_F(ActiveMessages, more_than_a_connection_holds_goes_both_ways)
{
    std::optional<Line> line;
    call(line);
    constexpr std::uint64_t bytes = 1 << 20;
    std::vector<std::byte> there(2 * bytes, std::byte{3});
    std::vector<std::byte> here(bytes);
    const std::vector<std::byte> source(bytes, std::byte{4});
    std::uint64_t last = 0;
    for (int round = 0; round < 40; ++round) {
        line->begin_get();
        line->add_to_get({reinterpret_cast<std::uintptr_t>(there.data()), 0, 1, bytes},
                         {reinterpret_cast<std::uintptr_t>(here.data()), 0, 1, bytes});
        last = line->end_get();
        line->put({reinterpret_cast<std::uintptr_t>(there.data() + bytes), 0, 1, bytes}, source.data(), 0);
    }
    line->await(last);
    line->complete();
    EXPECT_TRUE(std::all_of(here.begin(), here.end(), [](std::byte one) { return one == std::byte{3}; }));
    EXPECT_TRUE(std::equal(source.begin(), source.end(), there.begin() + bytes));
}

// While a thread of the program is between enter() and leave(), it alone serves.
TEST_F(ActiveMessages, a_program_that_waits_does_the_work_of_the_thread)
{
    std::optional<Line> line;
    call(line);
    server.enter();
    std::atomic<bool> is_done{false};
    std::thread caller([&] {
        EXPECT_EQ(0U, line->fetch(fetch_of(Operation::add, 1)));
        is_done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(is_done);
    while (!is_done)
        server.serve_beside();
    caller.join();
    server.leave();
    EXPECT_EQ(1U, line->fetch(fetch_of(Operation::add, 1))); // by the thread
}

// One that ends in the middle of a word leaves the word as it was.
TEST_F(ActiveMessages, short_segments_are_written_whole)
{
    std::array<long, 3> words{1, 2, 3};
    std::array<long, 3> fresh{-1, -2, -3};
    const std::span<const std::byte> bytes = std::as_bytes(std::span(fresh));
    Segments segments;
    segments.add({reinterpret_cast<std::uintptr_t>(words.data()), sizeof(long), 3, sizeof(long)});
    EXPECT_EQ(8U, segments.write(bytes.first(15)));
    EXPECT_EQ((std::array<long, 3>{-1, 2, 3}), words);
    EXPECT_EQ(0U, segments.write(bytes.subspan(8, 7)));
    EXPECT_EQ(16U, segments.write(bytes.subspan(8)));
    EXPECT_EQ(fresh, words);
    EXPECT_TRUE(segments.empty());
}

TEST(Fifo, keeps_its_order_and_little_memory)
{
    Fifo<int> some;
    for (int i = 0; i < 1000; ++i)
        some.push(i);
    for (int i = 0; i < 1000; ++i, some.pop())
        ASSERT_EQ(i, some.front());
    EXPECT_TRUE(some.empty());
    EXPECT_LE(some.room(), 4U);
    // Never empty, as where a program always has a get under way, after many at once.
    for (int i = 0; i < 1000; ++i)
        some.push(i);
    for (int i = 1000; i < 100'000; ++i, some.pop()) {
        some.push(i);
        for (; some.size() > 2; some.pop())
            ASSERT_EQ(i + 1 - static_cast<int>(some.size()), some.front());
        ASSERT_EQ(i - 1, some.front());
    }
    EXPECT_LE(some.room(), 32U);
}

TEST(Rest, keeps_little_memory)
{
    const std::vector<std::byte> large(32 * 1024, std::byte{1});
    const std::vector<std::byte> small(100, std::byte{2});
    std::vector<std::byte> rest;
    keep(rest, large);
    EXPECT_EQ(large, rest);
    keep(rest, small);
    EXPECT_EQ(small, rest);
    EXPECT_LE(rest.capacity(), most_kept_of_rest);
    keep(rest, {});
    EXPECT_TRUE(rest.empty());
}

TEST_F(ActiveMessages, what_makes_no_sense_is_refused)
{
    std::uint64_t old = 0;
    std::vector<std::byte> bytes(sizeof(Sums) + sizeof(Part) + 16);
    const auto carried = [&](Kind kind, std::size_t count) {
        return carry_out(kind, std::span<const std::byte>(bytes.data(), count), old);
    };
    EXPECT_FALSE(carried(static_cast<Kind>(99), 0));
    EXPECT_FALSE(carried(Kind::ask, 8));
    EXPECT_FALSE(carried(Kind::fetch, sizeof(Fetch) - 8));
    Fetch fetch = fetch_of(Operation::read);
    fetch.width = 3;
    std::memcpy(bytes.data(), &fetch, sizeof fetch);
    EXPECT_FALSE(carried(Kind::fetch, sizeof fetch));
    Sums sums{99, {}};
    std::memcpy(bytes.data(), &sums, sizeof sums);
    EXPECT_FALSE(carried(Kind::accumulate, sizeof sums));
    sums.element = 0;
    std::memcpy(bytes.data(), &sums, sizeof sums);
    for (const Part run :
         {Part{0, 0, 1, 0}, Part{0, 0, UINT64_MAX, 8}, Part{0, 0, 3, 8}, Part{0, 0, 1, UINT64_MAX}}) {
        std::memcpy(bytes.data() + sizeof sums, &run, sizeof run);
        EXPECT_FALSE(carried(Kind::accumulate, bytes.size())) << run.count << " of " << run.bytes;
    }
    EXPECT_FALSE(carried(Kind::accumulate, sizeof sums + 8));
}

} // namespace
} // namespace armci::gmr::active_messages
