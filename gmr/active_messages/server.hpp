// Server: a thread that carries out the messages of other nodes' processes in the memory of its node.
//
// It sleeps until a message comes, and calls no MPI: it does not matter where the program is meanwhile. It
// waits for nothing but locks that CPUs hold while they change memory. A program that waits awake does its
// work meanwhile: that spares a change of thread.
#pragma once

#include "gmr/active_messages/segments.hpp"
#include "gmr/active_messages/tcp.hpp"
#include "gmr/active_messages/wire.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
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
    // False where the system gives no thread. `send_held` sends what this process holds back, without
    // waiting, and returns whether some is left.
    bool start(std::function<bool()> send_held);
    // The work of the thread, by a thread of the program that waits for something else. From enter() to
    // leave() the thread sleeps. Threads may do so at the same time.
    void enter();
    void serve_beside();
    void leave();

    // Has the thread call send_held() in a millisecond, where it does not so already.
    void send_held_later();

private:
    struct Stream {
        Socket socket;
        bool is_known = false;       // its Hello was right
        std::uint64_t done = 0;      // messages
        std::vector<std::byte> rest; // that came and is not carried out
        Segments landing;            // of a put, for what has not come
        std::size_t padding = 0;     // behind it
        std::vector<std::byte> out;  // to be sent
        std::size_t sent = 0;        // bytes of it
        Segments leaving;            // of a get, to be sent behind that
        bool awaits_room = false;

        bool has_something_to_send() const { return sent < out.size() || !leaving.empty(); }
    };

    void run();
    void serve_all();
    void watch(int epoll, int descriptor, unsigned events, bool is_new) const;
    void accept_all();
    void rest_where_short(int error);
    // False for a stream that is over.
    bool serve(Stream& stream);
    // Takes all that has come, or part of it; or the caller has closed the connection, or is a stranger.
    enum class Came { all, part, end };
    Came read(Stream& stream);
    // Carries out what is in `bytes` until much has to be sent, and leaves the rest. False for a stranger.
    bool take_messages(Stream& stream, std::span<const std::byte>& bytes);
    // Of a put. True where all have come.
    bool take_data(Stream& stream, std::span<const std::byte>& bytes);
    // False where it makes no sense.
    bool take_message(Stream& stream, const Header& header, std::span<const std::byte> message);
    bool answer_get(Stream& stream, std::span<const std::byte> message);
    void answer(Stream& stream, std::uint64_t value);
    void append_copies(Stream& stream, std::size_t bytes);
    // Messages of a caller wait until it has taken the answers to earlier ones. False where the socket has
    // no room.
    bool send_out(Stream& stream);
    void await_room(Stream& stream, bool awaits);

    Key key_;
    Place place_;
    Socket listener_;
    int epoll_ = -1;           // the connections and the listener
    int epoll_of_thread_ = -1; // that, and what is for the thread alone
    int wake_ = -1;
    int timer_ = -1;
    std::atomic<bool> timer_runs_{false};
    std::atomic<bool> listener_rests_{false};
    std::function<bool()> send_held_;
    std::atomic<int> beside_{0};              // threads between enter() and leave()
    std::mutex guard_;                        // of the next three
    std::unordered_map<int, Stream> streams_; // by descriptor
    std::vector<std::byte> buffer_;
    bool has_told_of_callers_ = false;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

} // namespace armci::gmr::active_messages
