#include "armci/base/internet_address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace armci {
namespace {

constexpr unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_ipv4(const InternetAddress& address)
{
    return std::memcmp(address.data(), mapped, sizeof mapped) == 0;
}

} // namespace

bool to_address(const sockaddr* from, InternetAddress& to)
{
    if (from->sa_family == AF_INET) {
        std::memcpy(to.data(), mapped, sizeof mapped);
        std::memcpy(&to[sizeof mapped], &reinterpret_cast<const sockaddr_in*>(from)->sin_addr, 4);
        return true;
    }
    if (from->sa_family == AF_INET6) {
        std::memcpy(to.data(), &reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr, to.size());
        return true;
    }
    return false;
}

socklen_t to_sockaddr(const InternetAddress& from, std::uint16_t port, sockaddr_storage& to)
{
    to = {};
    if (is_ipv4(from)) {
        auto& four = reinterpret_cast<sockaddr_in&>(to);
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        std::memcpy(&four.sin_addr, &from[sizeof mapped], 4);
        return sizeof four;
    }
    auto& six = reinterpret_cast<sockaddr_in6&>(to);
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&six.sin6_addr, from.data(), from.size());
    return sizeof six;
}

std::string to_text(const InternetAddress& address)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (is_ipv4(address))
        inet_ntop(AF_INET, &address[sizeof mapped], text, sizeof text);
    else
        inet_ntop(AF_INET6, address.data(), text, sizeof text);
    return text;
}

InternetAddress loopback_address()
{
    InternetAddress address{};
    std::copy(std::begin(mapped), std::end(mapped), address.begin());
    address[sizeof mapped] = 127;
    address.back() = 1;
    return address;
}

std::vector<InternetAddress> own_addresses()
{
    std::vector<InternetAddress> found;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0)
        return found;
    for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
        InternetAddress address{};
        if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_LOOPBACK) != 0 ||
            !to_address(at->ifa_addr, address))
            continue;
        const bool is_link_local = address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
        if (!is_link_local)
            found.push_back(address);
    }
    freeifaddrs(all);
    return found;
}

} // namespace armci
