// Job hosts: the other hosts that processes of this job run on, by their addresses.
//
// They tell MPI's TCP connections from the program's own: one to a database or a licence server leads to no
// host of the job as a rule, and says nothing about the network that MPI uses.
#pragma once

#include "armci/base/internet_address.hpp"
#include "armci/base/topology.hpp"

#include <mpi.h>

#include <map>
#include <string>
#include <utility>

namespace armci {

class JobHosts {
public:
    // Names by address.
    explicit JobHosts(std::map<InternetAddress, std::string> hosts) : hosts_(std::move(hosts)) {}
    // Collective over `world`.
    static JobHosts gather(MPI_Comm world, const Topology& topology);

    bool empty() const { return hosts_.empty(); }
    // The name of the host that a TCP socket is connected to; null where that is none of these.
    const std::string* at_end_of(int socket) const;
    // Finds, among the sockets of this process, one that is connected to one of these hosts. `mine` is its
    // address here; false where there is none.
    bool find_connection(InternetAddress& mine) const;

private:
    std::map<InternetAddress, std::string> hosts_;
};

} // namespace armci
