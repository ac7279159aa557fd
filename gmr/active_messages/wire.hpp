// Wire: what goes over a connection between an origin process and a server, in the form of the machine (all
// processes of a job are alike).
//
// The origin sends a Hello, then messages, each a Header and what follows it. The server sends Answers: one
// to the Hello, and one to each message that asks for one, as each get does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace armci::gmr::active_messages {

// Secret of a job. The caller proves by the first part that it belongs to it, the server by the second.
struct Key {
    std::array<std::uint64_t, 2> caller;
    std::uint64_t server;
};

struct Hello {
    std::array<std::uint64_t, 2> key;
};

enum class Kind : std::uint8_t {
    accumulate, // followed by Sums, and by a Run with its data as often as there is room
    fetch,      // followed by a Fetch
    ask,        // followed by nothing
    put,        // followed by a Run; behind the message come its data, of any length
    get         // followed by Runs; their data come behind the answer, of any length
};

struct Header {
    std::uint32_t bytes; // of what follows, a multiple of 8
    Kind kind;
    bool wants_answer;
    std::uint16_t unused;
};

struct Sums {
    std::uint64_t element;           // kernels::Element
    std::array<std::byte, 16> scale; // one element
};

// Segments of equal size at equal distances. Their data follow, one behind the other, in a multiple of 8
// bytes.
struct Run {
    std::uint64_t address; // of the first, at the target
    std::int64_t stride;
    std::uint64_t count;
    std::uint64_t bytes; // of a segment
};

enum class Operation : std::uint32_t {
    add,
    swap,
    compare_and_swap,
    read,
    notify // adds, and wakes what waits for the word
};

struct Fetch {
    std::uint64_t address;
    Operation operation;
    std::uint32_t width;    // 4 or 8 bytes
    std::uint64_t operand;  // in its first bytes
    std::uint64_t expected; // by compare_and_swap
};

// A word of 4 or 8 bytes, as the first bytes of a wider one, and back, whichever byte comes first.
template <class Word>
std::uint64_t widened(Word word)
{
    std::uint64_t wide = 0;
    std::memcpy(&wide, &word, sizeof word);
    return wide;
}
template <class Word>
Word narrowed(std::uint64_t wide)
{
    Word word{};
    std::memcpy(&word, &wide, sizeof word);
    return word;
}

struct Answer {
    std::uint64_t done;  // messages of this connection, in their order
    std::uint64_t value; // the old one, of a fetch; the bytes that follow, of a get; of the Hello: the key's
                         // second part
};

constexpr std::size_t most_data = 32 * 1024; // of a message
constexpr std::size_t most_bytes = sizeof(Sums) + sizeof(Run) + most_data;
constexpr std::size_t most_runs = most_data / sizeof(Run); // of a get

constexpr std::size_t padded(std::size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

} // namespace armci::gmr::active_messages
