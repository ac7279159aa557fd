#include "armci/base/job_hosts.hpp"

#include "armci/base/doubling.hpp"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace armci {
namespace {

constexpr int most_addresses = 16;

// What a host tells the others.
struct Card {
    char name[64];
    int count;
    InternetAddress addresses[most_addresses];
};

Card my_card()
{
    Card card{};
    gethostname(card.name, sizeof card.name - 1);
    for (const InternetAddress& address : own_addresses())
        if (card.count < most_addresses)
            card.addresses[card.count++] = address;
    return card;
}

bool is_stream(int descriptor)
{
    struct stat status {};
    int type = 0;
    socklen_t size = sizeof type;
    return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) &&
           getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

bool address_of(int socket, decltype(getsockname) ask, InternetAddress& address)
{
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    return ask(socket, reinterpret_cast<sockaddr*>(&name), &size) == 0 &&
           to_address(reinterpret_cast<const sockaddr*>(&name), address);
}

} // namespace

JobHosts JobHosts::gather(MPI_Comm world, const Topology& topology)
{
    std::map<InternetAddress, std::string> hosts;
    if (topology.nodes() < 2)
        return JobHosts(hosts);
    const Card mine = my_card();
    const auto nodes = static_cast<std::size_t>(topology.nodes());
    std::vector<Card> cards(nodes);
    std::vector<int> counts(static_cast<std::size_t>(topology.processes()));
    for (std::size_t node = 0; node < nodes; ++node)
        counts[static_cast<std::size_t>(topology.members(static_cast<int>(node)).front())] = 1;
    const record_runs::Bytes runs =
        mpi::gather_runs(reinterpret_cast<const std::byte*>(&mine), sizeof mine, counts, world);
    record_runs::expand(runs, sizeof mine, reinterpret_cast<std::byte*>(cards.data()));
    for (const Card& card : cards)
        for (int i = 0; i < card.count; ++i)
            hosts.emplace(card.addresses[i], card.name);
    // Nodes by setting are on this host, and bridges for containers have the same address on every host.
    for (int i = 0; i < mine.count; ++i)
        hosts.erase(mine.addresses[i]);
    return JobHosts(std::move(hosts));
}

const std::string* JobHosts::at_end_of(int socket) const
{
    InternetAddress peer{};
    if (!address_of(socket, getpeername, peer))
        return nullptr;
    const auto found = hosts_.find(peer);
    return found == hosts_.end() ? nullptr : &found->second;
}

bool JobHosts::find_connection(InternetAddress& mine) const
{
    DIR* const directory = empty() ? nullptr : opendir("/proc/self/fd");
    if (directory == nullptr)
        return false;
    bool found = false;
    while (const dirent* const entry = found ? nullptr : readdir(directory)) {
        const int descriptor = std::atoi(entry->d_name);
        found = entry->d_name[0] != '.' && is_stream(descriptor) && at_end_of(descriptor) != nullptr &&
                address_of(descriptor, getsockname, mine);
    }
    closedir(directory);
    return found;
}

} // namespace armci
