#include "armci/base/job_hosts.hpp"

#include "armci/base/doubling.hpp"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

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

JobHosts::JobHosts(const std::vector<Host>& hosts)
{
    places_.reserve(hosts.size());
    std::uint32_t last = 0;
    for (const Host& host : hosts) {
        if (places_.empty() || std::strcmp(&names_[last], host.name) != 0) {
            last = static_cast<std::uint32_t>(names_.size());
            names_.append(host.name, std::strlen(host.name) + 1);
        }
        places_.push_back({host.address, last});
    }
    std::stable_sort(places_.begin(), places_.end(),
                     [](const Place& one, const Place& other) { return one.address < other.address; });
    const auto is_same = [](const Place& one, const Place& other) { return one.address == other.address; };
    places_.erase(std::unique(places_.begin(), places_.end(), is_same), places_.end());
    names_.shrink_to_fit();
}

JobHosts JobHosts::gather(MPI_Comm world, const Topology& topology)
{
    if (topology.nodes() < 2)
        return JobHosts({});
    const Card mine = my_card();
    const auto nodes = static_cast<std::size_t>(topology.nodes());
    std::vector<Card> cards(nodes);
    std::vector<int> counts(static_cast<std::size_t>(topology.processes()));
    for (std::size_t node = 0; node < nodes; ++node)
        counts[static_cast<std::size_t>(topology.members(static_cast<int>(node)).front())] = 1;
    const record_runs::Bytes runs =
        mpi::gather_runs(reinterpret_cast<const std::byte*>(&mine), sizeof mine, counts, world);
    record_runs::expand(runs, sizeof mine, reinterpret_cast<std::byte*>(cards.data()));
    // Nodes by setting are on this host, and bridges for containers have the same address on every host.
    const InternetAddress* const mine_end = mine.addresses + mine.count;
    std::vector<Host> hosts;
    for (const Card& card : cards)
        for (int i = 0; i < card.count; ++i)
            if (std::find(mine.addresses, mine_end, card.addresses[i]) == mine_end)
                hosts.push_back({card.addresses[i], card.name});
    return JobHosts(hosts);
}

const char* JobHosts::at_end_of(int socket) const
{
    InternetAddress peer{};
    if (!address_of(socket, getpeername, peer))
        return nullptr;
    const auto found = std::lower_bound(
        places_.begin(), places_.end(), peer,
        [](const Place& place, const InternetAddress& address) { return place.address < address; });
    return found == places_.end() || found->address != peer ? nullptr : &names_[found->name];
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
