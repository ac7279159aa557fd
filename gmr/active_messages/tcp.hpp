// TCP: sockets of active messages.
#pragma once

#include "armci/base/internet_address.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace armci::gmr::active_messages {

// Owns a descriptor.
class Socket {
public:
    Socket() = default;
    explicit Socket(int descriptor);
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket& operator=(Socket&& other) noexcept
    {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();

    explicit operator bool() const { return descriptor_ >= 0; }
    int get() const { return descriptor_; }

private:
    int descriptor_ = -1;
};

// Where a server listens.
struct Place {
    InternetAddress address{};
    std::uint16_t port = 0;
};

// Both give none, and errno, where the system has none. Neither socket blocks.
Socket listen_at(const InternetAddress& address, Place& place);
Socket connect_to(const Place& place, int milliseconds);

void send_at_once(int socket); // small pieces are not held back

} // namespace armci::gmr::active_messages
