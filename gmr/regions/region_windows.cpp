#include "gmr/regions/region_windows.hpp"

#include "gmr/transfer/slots.hpp"

#include <algorithm>
#include <utility>

namespace armci::gmr {
namespace {

// Whether the network has an entry for each member's part: not where all lie alike, nor where one node alone
// reaches them.
bool has_entries(const Region& region)
{
    return region.team != nullptr && region.kind != Region::Kind::symmetric &&
           region.kind != Region::Kind::local;
}

} // namespace

Region::Kind kind_for(const Translation* network, const Team& team, bool world)
{
    if (!network)
        return world ? Region::Kind::symmetric : Region::Kind::local;
    if (team.on_one_node() && network->settings().force_mpi == 0)
        return Region::Kind::local;
    switch (network->settings().window) {
    case WindowFlavour::create:
        return Region::Kind::own_window;
    case WindowFlavour::dynamic:
        return Region::Kind::attached;
    // Open MPI 4 mixes up the shared memory that sibling groups make at the same time, so groups bring their
    // own.
    case WindowFlavour::allocate:
        return world ? Region::Kind::allocated : Region::Kind::own_window;
    case WindowFlavour::shared:
        return world ? Region::Kind::shared : Region::Kind::own_window;
    default:
        return without_windows(world);
    }
}

bool brings_windows(Region::Kind kind)
{
    return kind == Region::Kind::own_window || kind == Region::Kind::allocated ||
           kind == Region::Kind::shared;
}

Region::Kind without_windows(bool world)
{
    return world ? Region::Kind::symmetric : Region::Kind::pooled;
}

void make_windows(Translation& network, Region& region, Team& team, std::vector<void*>& starts)
{
    const EpochStyle epochs = network.settings().epochs;
    const auto me = static_cast<std::size_t>(team.rank());
    // MPI lays the slices of a node one after another.
    const std::uint64_t whole =
        (region.bytes + window_alignment() - 1) / window_alignment() * window_alignment();
    void* found = nullptr;
    switch (region.kind) {
    case Region::Kind::own_window:
        if (network.has_windows()) // else its place alone is apart from the pooled ones
            region.window = Window::over(team.comm(), starts[me], region.bytes, epochs);
        return;
    case Region::Kind::attached:
        if (region.bytes > 0)
            network.dynamic()->attach(starts[me], region.bytes);
        return;
    case Region::Kind::allocated:
        region.window = Window::allocate(team.comm(), whole, epochs, found);
        break;
    case Region::Kind::shared:
        region.memory_window = Window::allocate_shared(team.node_comm(), whole, found);
        region.window = Window::over(team.comm(), found, region.bytes, epochs);
        break;
    default:
        return;
    }
    if (region.bytes == 0)
        found = nullptr;
    const auto all = team.exchange(found);
    std::copy(all.begin(), all.end(), starts.begin());
}

void enter_network(Translation& network, Region& region, Runs bytes, const std::vector<void*>& starts)
{
    if (region.kind == Region::Kind::symmetric) {
        network.add_symmetric(region.block.descriptor, region.block.offset,
                              std::move(bytes)); // team rank = process
        return;
    }
    if (region.kind == Region::Kind::local)
        return;
    const Team& team = *region.team;
    std::vector<std::uint64_t> places(starts.size(), Region::nowhere);
    int local_rank = -1;
    for (int i = 0; i < team.size(); ++i) {
        const int process = team.member(i);
        const bool mine = i == team.rank();
        const bool near = network.on_my_node(process);
        if (near)
            ++local_rank;
        if (bytes.of(i) == 0)
            continue;
        void* const start = starts[static_cast<std::size_t>(i)];
        places[static_cast<std::size_t>(i)] = reinterpret_cast<std::uintptr_t>(start) -
                                              reinterpret_cast<std::uintptr_t>(network.slice(process));
        Translation::Entry entry;
        entry.bytes = bytes.of(i);
        entry.window = region.window.get();
        entry.rank = i;
        entry.window_base = reinterpret_cast<std::uintptr_t>(start);
        entry.region = &region;
        if (region.kind == Region::Kind::attached) {
            entry.window = network.dynamic();
            entry.rank = process;
            entry.window_base = 0; // displacements of a dynamic window are addresses
        }
        if (mine || (near && region.in_arena()))
            entry.local = static_cast<std::byte*>(start);
        else if (near && region.kind == Region::Kind::shared)
            entry.local = region.memory_window->shared_base(local_rank);
        network.add(process, start, entry);
    }
    region.places = Runs(places);
}

void leave_network(Translation& network, Region& region)
{
    if (region.kind == Region::Kind::symmetric) {
        network.remove_symmetric(region.block.descriptor);
        return;
    }
    for (int i = 0; has_entries(region) && i < region.team->size(); ++i) {
        const int process = region.team->member(i);
        if (const std::uint64_t place = region.places.of(i); place != Region::nowhere)
            network.remove(
                process,
                reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(network.slice(process)) + place),
                &region);
    }
    if (region.kind == Region::Kind::attached && region.bytes > 0)
        network.dynamic()->detach(region.start);
    if (region.window)
        slots::forget(*region.window);
    region.window.reset();
    region.memory_window.reset();
}

} // namespace armci::gmr
