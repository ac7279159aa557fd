// Line: the connection from this process to a server. Messages are carried out in the order in which they
// are written.
//
// Short messages are held back until they fill a system call, until this process waits for an answer, or
// for a millisecond. No other process may rely on them before a fence.
//
// For one thread at a time: the caller holds guard().
#pragma once

#include "gmr/active_messages/fifo.hpp"
#include "gmr/active_messages/segments.hpp"
#include "gmr/active_messages/tcp.hpp"
#include "gmr/active_messages/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace armci::gmr::active_messages {

class Line {
public:
    // `process` is the server's, for messages of errors.
    Line(Socket socket, int process) : socket_(std::move(socket)), process_(process) {}

    std::mutex& guard() { return guard_; }

    // Says who calls. False where no server of this job answers in time.
    bool greet(const Key& key, int milliseconds);

    // Room for a message that begins here; end() takes as much of it as is used.
    std::byte* begin(std::size_t most);
    void end(Kind kind, std::size_t bytes);
    // The same, of a message that ends with `tail`, which may be used again when this returns.
    void end_with(Kind kind, std::size_t bytes, std::span<const std::byte> tail);

    // From `source`, which may be used again when this returns: segments of the same number and bytes as
    // `there`.
    void put(const Run& there, const std::byte* source, std::int64_t stride);

    // A get of some segments: there and here, in the same order and of the same bytes in all. end_get()
    // returns its message, which await() waits for.
    void begin_get();
    void add_to_get(const Run& there, const Run& here);
    std::uint64_t end_get();

    // Asks for an answer to all that changes memory so far, where there is none yet.
    void ask();
    // Returns when all messages so far that change memory are carried out.
    void complete();
    // Whether one is not known to be carried out.
    bool is_written() const { return last_write_ > last_.done; }
    bool is_noted = false; // by the owner, as used
    // Returns the old value.
    std::uint64_t fetch(const Fetch& fetch);

    // Returns when the answer to a message is here, or whether it is.
    void await(std::uint64_t message);
    bool has_answer(std::uint64_t message);
    // The last message of a get.
    std::uint64_t last_get() const { return last_get_; }

    bool holds_back() const { return used_ > 0; }
    // Sends of it what the connection takes at once.
    void send_some();

private:
    // Of the message `bytes` are written; others follow.
    void write(Kind kind, bool wants_answer, std::size_t bytes, std::size_t others = 0);
    void end_message_of_get();
    void send_all();
    void send_all(const std::byte* data, std::size_t bytes, bool more);
    void make_room(std::size_t bytes);
    void give_room_back();
    // True where something came.
    bool read_answers();
    // Takes what came as far as it is whole.
    std::span<const std::byte> take(std::span<const std::byte> came);
    void begin_answer(const Answer& answer);
    void end_data();
    void wait_for(short events, int milliseconds) const;
    [[noreturn]] void is_lost(int error) const;

    struct Get {
        std::uint64_t message;
        std::uint64_t bytes;
    };

    std::mutex guard_;
    Socket socket_;
    int process_;
    std::vector<std::byte> out_; // written, and not sent
    std::size_t used_ = 0;       // bytes of it
    std::uint64_t written_ = 0;  // messages
    std::uint64_t last_write_ = 0;
    std::uint64_t last_get_ = 0;
    std::uint64_t asked_ = 0;     // an answer to this one is on its way, or here
    Answer last_{};               // of those that came
    std::vector<std::byte> rest_; // that came and is not whole
    Fifo<Get> gets_;              // not answered
    Segments landing_;            // of these
    std::uint64_t expected_ = 0;  // bytes of data of the first of them that have not come, behind its answer
    std::size_t begun_bytes_ = 0; // of the message of a get that is begun
    std::uint64_t begun_data_ = 0;
};

} // namespace armci::gmr::active_messages
