// Server: a thread that carries out the messages of other nodes' processes in the memory of its node.
//
// It sleeps until a message comes, and calls no MPI: it does not matter where the program is meanwhile. It
// waits for nothing but locks that CPUs hold while they change memory.
#pragma once

#include "gmr/active_messages/tcp.hpp"
#include "gmr/active_messages/wire.hpp"

#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

namespace armci::gmr::active_messages {

class Server {
public:
    // Listens at `address`.
    Server(const InternetAddress& address, const Key& key);
    ~Server(); // ends the thread
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Port 0 where the system gives no socket.
    const Place& place() const { return place_; }
    // False where the system gives no thread.
    bool start();

private:
    struct Stream {
        Socket socket;
        bool is_known = false;          // its Hello was right
        std::uint64_t done = 0;         // messages
        std::vector<std::byte> rest;    // of a message that has not come whole
        std::vector<std::byte> answers; // for which the socket had no room
        bool awaits_room = false;
    };

    void run();
    void watch(int descriptor, unsigned events, bool is_new);
    void accept_all();
    // Both are false for a stream that is over.
    bool serve(Stream& stream);
    bool take_messages(Stream& stream, std::span<const std::byte>& bytes);
    void answer(Stream& stream, std::uint64_t value);
    void send_answers(Stream& stream);

    Key key_;
    Place place_;
    Socket listener_;
    int epoll_ = -1;
    int wake_ = -1;
    std::unordered_map<int, Stream> streams_; // by descriptor
    std::vector<std::byte> buffer_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

} // namespace armci::gmr::active_messages
