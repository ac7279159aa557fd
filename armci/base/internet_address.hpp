// Internet address: that of a host, IPv6 or IPv4, in one form.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace armci {

using InternetAddress = std::array<unsigned char, 16>; // IPv6; of IPv4 the mapped form

// False where `from` is of another family.
bool to_address(const sockaddr* from, InternetAddress& to);
// For bind() and connect(): IPv4 where the address is one. Returns the length.
socklen_t to_sockaddr(const InternetAddress& from, std::uint16_t port, sockaddr_storage& to);
std::string to_text(const InternetAddress& address);

InternetAddress loopback_address(); // IPv4's
// Returns the addresses of this host, less those of loopback and of one link alone.
std::vector<InternetAddress> own_addresses();

} // namespace armci
