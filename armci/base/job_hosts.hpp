// Job hosts: the other hosts that processes of this job run on, by their addresses.
//
// They tell MPI's TCP connections from the program's own: one to a database or a licence server leads to no
// host of the job as a rule, and says nothing about the network that MPI uses.
#pragma once

#include "armci/base/internet_address.hpp"
#include "armci/base/topology.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace armci {

class JobHosts {
public:
    struct Host {
        InternetAddress address;
        const char* name; // copied
    };
    // Of hosts with one address the first counts. Addresses of one host stand together.
    explicit JobHosts(const std::vector<Host>& hosts);
    // Collective over `world`.
    static JobHosts gather(MPI_Comm world, const Topology& topology);

    bool empty() const { return places_.empty(); }
    // The name of the host that a TCP socket is connected to; null where that is none of these. It lives as
    // long as this.
    const char* at_end_of(int socket) const;
    // Finds, among the sockets of this process, one that is connected to one of these hosts. `mine` is its
    // address here; false where there is none.
    bool find_connection(InternetAddress& mine) const;

private:
    // Every process holds one of these for each address of each host, so it is small: 20 bytes.
    struct Place {
        InternetAddress address;
        std::uint32_t name; // where it begins in names_
    };
    std::vector<Place> places_; // by address
    std::string names_;         // each with its null
};

} // namespace armci
