// Line: the connection from this process to a server. Messages are carried out in the order in which they
// are written.
//
// Short messages are held back until they fill a system call, or until this process waits for an answer. No
// other process may rely on them before a fence.
//
// For one thread at a time: the caller holds guard().
#pragma once

#include "gmr/active_messages/tcp.hpp"
#include "gmr/active_messages/wire.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
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

    // Asks for an answer to all messages so far, where none is on its way.
    void ask();
    // Returns when all messages so far are carried out.
    void complete();
    // Returns the old value.
    std::uint64_t fetch(const Fetch& fetch);

private:
    void write(Kind kind, bool wants_answer, std::size_t bytes);
    void send_all();
    // True where something came.
    bool read_answers();
    void await(std::uint64_t message);
    void wait_for(short events, int milliseconds) const;
    [[noreturn]] void is_lost(int error) const;

    std::mutex guard_;
    Socket socket_;
    int process_;
    std::vector<std::byte> out_;                   // written, and not sent
    std::size_t used_ = 0;                         // bytes of it
    std::uint64_t written_ = 0;                    // messages
    std::uint64_t asked_ = 0;                      // up to this one
    Answer last_{};                                // of those that came
    std::array<std::byte, sizeof(Answer)> part_{}; // of an answer
    std::size_t part_bytes_ = 0;
};

} // namespace armci::gmr::active_messages
