#include "gmr/active_messages/tcp.hpp"

#include "armci/base/own_sockets.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace armci::gmr::active_messages {
namespace {

constexpr int waiting_callers = 1024;

std::uint16_t port_of(int socket)
{
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0)
        return 0;
    return ntohs(own.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(own).sin_port
                                          : reinterpret_cast<const sockaddr_in6&>(own).sin6_port);
}

Socket open_for(const sockaddr_storage& address)
{
    return Socket(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

} // namespace

Socket::Socket(int descriptor) : descriptor_(descriptor)
{
    if (descriptor >= 0)
        own_sockets::add(descriptor);
}

Socket::~Socket()
{
    if (descriptor_ < 0)
        return;
    own_sockets::remove(descriptor_);
    ::close(descriptor_);
}

Socket listen_at(const InternetAddress& address, Place& place)
{
    sockaddr_storage at{};
    const socklen_t size = to_sockaddr(address, 0, at);
    Socket socket = open_for(at);
    if (!socket || bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        listen(socket.get(), waiting_callers) != 0)
        return {};
    place = {address, port_of(socket.get())};
    return socket;
}

Socket connect_to(const Place& place, int milliseconds)
{
    sockaddr_storage there{};
    const socklen_t size = to_sockaddr(place.address, place.port, there);
    Socket socket = open_for(there);
    if (!socket)
        return {};
    if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&there), size) != 0) {
        if (errno != EINPROGRESS)
            return {};
        pollfd one{socket.get(), POLLOUT, 0};
        int ready = 0;
        do
            ready = poll(&one, 1, milliseconds);
        while (ready < 0 && errno == EINTR);
        int error = ready == 0 ? ETIMEDOUT : errno;
        socklen_t length = sizeof error;
        if (ready > 0)
            getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
        errno = error;
        if (ready <= 0 || error != 0)
            return {};
    }
    send_at_once(socket.get());
    return socket;
}

void send_at_once(int socket)
{
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

} // namespace armci::gmr::active_messages
