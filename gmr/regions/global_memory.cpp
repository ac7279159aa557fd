#include "gmr/regions/global_memory.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/observe/statistics.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/ordering.hpp"
#include "gmr/node/accumulate.hpp"
#include "gmr/regions/agreement.hpp"
#include "gmr/regions/region_windows.hpp"
#include "gmr/transfer/remote.hpp"
#include "gmr/transfer/slots.hpp"

#include <algorithm>
#include <atomic>
#include <cinttypes>

namespace armci::gmr {
namespace {

void tell_of_used_up_windows(const Team& team)
{
    static std::atomic<bool> told{false};
    if (team.rank() == 0 && !told.exchange(true))
        diag::warn("%d MPI windows are in use, as many as this library asks of this MPI; further regions "
                   "share the pooled ones (ARMCI_WINDOW=pooled, the default, needs but a few)",
                   traits::in_use.most_windows);
}

// Tells the statistics of a region: `bytes` of it are mine, and starts[i] is the slice of team rank i.
void count_allocation(const Team& team, const std::vector<Offer>& offers, void* const* starts,
                      std::uint64_t number, std::int64_t bytes)
{
    if (!observe::statistics::enabled())
        return;
    std::vector<observe::Regions::Slice> slices;
    for (std::size_t i = 0; i < offers.size(); ++i)
        slices.push_back({team.member(static_cast<int>(i)), reinterpret_cast<std::uintptr_t>(starts[i]),
                          static_cast<std::uint64_t>(offers[i].bytes)});
    observe::statistics::count_allocation(bytes, number, slices);
}

// One that goes, as the members name it.
void forget_allocation(const Team& team, const std::vector<Claim>& claims)
{
    for (std::size_t i = 0; i < claims.size(); ++i)
        if (claims[i].pointer != 0)
            return observe::statistics::forget_allocation(team.member(static_cast<int>(i)),
                                                          claims[i].pointer);
}

} // namespace

GlobalMemory* GlobalMemory::the_one_ = nullptr;

GlobalMemory::GlobalMemory(MPI_Comm world, const Topology& topology, int me, const Settings& settings)
    : arena_(Arena::create(world, topology, me, settings)),
      heap_(arena_, topology.node_rank(me), settings.uses_network(topology.nodes())),
      budget_(arena_, static_cast<int>(topology.members(topology.my_node()).size()),
              static_cast<std::uint64_t>(settings.memory_limit), settings.memory_check != 0),
      peers_(static_cast<std::size_t>(topology.processes())), neighbours_(peers_),
      slices_(static_cast<std::size_t>(topology.processes()))
{
    if (settings.uses_network(topology.nodes()))
        network_ = std::make_unique<Translation>(world, topology, arena_, heap_, settings);
    const bool load_store = !network_ || network_->load_store();
    if (network_ && load_store && settings.atomics_policy != MigrationPolicy::fixed_network)
        modes_ = std::make_unique<Modes>(world, topology, heap_, settings);
    for (const int process : topology.members(topology.my_node())) {
        const int node_rank = topology.node_rank(process);
        std::byte* const slice = arena_.slice(node_rank);
        slices_[static_cast<std::size_t>(process)] = slice;
        neighbours_[static_cast<std::size_t>(process)] =
            Peer(slice, Directory(arena_.directory(node_rank), arena_.span()));
    }
    if (load_store)
        peers_ = neighbours_;
    set_accumulate_locks(&arena_.control());
    ordering::set(settings.ordering);
    peers.at = peers_.data();
    peers.count = static_cast<unsigned>(peers_.size());
    peers.cpu_atomics = !network_;
    peers.quiet = !network_ && !observe::active;
    peers.detours.set((observe::active ? Detours::observed : 0U) | (network_ ? Detours::progress : 0U));
    the_one_ = this;
}

GlobalMemory::~GlobalMemory()
{
    the_one_ = nullptr;
    if (network_)
        remote::fence_all();
    modes_.reset();
    slots::forget_all();
    peers.at = nullptr;
    peers.count = 0;
    peers.cpu_atomics = false;
    peers.quiet = false;
    peers.detours.clear(~0U);
    set_accumulate_locks(nullptr);
}

// Opens more windows when those there are have no hole of that size; every member comes to the same answer.
bool GlobalMemory::place_symmetric(Region& region, std::uint64_t largest)
{
    auto block = heap_.place(Area::symmetric, largest);
    if (!block && network_ && network_->grow(Area::symmetric, largest))
        block = heap_.place(Area::symmetric, largest);
    if (!block)
        return false;
    region.block = *block;
    region.placed = true;
    return true;
}

int GlobalMemory::allocate(const char* call, Team& team, bool world, void** pointers, std::int64_t bytes)
{
    auto region = std::make_unique<Region>();
    region->team = &team;
    region->kind = kind_for(network_.get(), team, world);
    const auto my_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
    bool taken = false;

    // Where I choose my place by myself.
    const auto place_alone = [&](Offer& offer) {
        if (region->kind == Region::Kind::symmetric || !region->in_arena() ||
            offer.problem != Problem::none || my_bytes == 0)
            return;
        const Area area = Region::area_of(region->kind);
        const auto block =
            heap_.place(area, area == Area::windowed ? std::max(my_bytes, window_alignment) : my_bytes);
        region->placed = block.has_value();
        if (block) {
            region->block = *block;
            offer.start = reinterpret_cast<std::uint64_t>(heap_.address(*block));
        } else {
            offer.problem = Problem::no_range;
        }
    };
    const auto release = [&] {
        if (region->placed)
            heap_.release(Region::area_of(region->kind), region->block, 0);
        region->placed = false;
    };
    const auto undo = [&] {
        release();
        if (taken)
            budget_.give_back(my_bytes);
        taken = false;
    };

    // 1. Offer: my size, my place where I choose it alone, and what stands against it.
    Offer offer{bytes, 0, 0, Problem::none, network_ && network_->pooled_is_low(), Window::are_used_up()};
    if (pointers == nullptr) {
        offer.problem = Problem::no_array;
    } else if (bytes < 0) {
        offer.problem = Problem::negative_size;
    } else if (bytes > 0) {
        taken = budget_.take(my_bytes, offer.available);
        if (!taken)
            offer.problem = Problem::no_memory;
    }
    place_alone(offer);

    // 2. Agree: one problem anywhere is everybody's error. Two are none: a region that MPI has no window for
    // lies in the pooled ones, and one for which those are full gets its own.
    auto offers = team.exchange(offer);
    const auto place_again = [&](Region::Kind kind) {
        release();
        region->kind = kind;
        if (offer.problem == Problem::no_range)
            offer.problem = Problem::none;
        place_alone(offer);
        offers = team.exchange(offer);
    };
    const bool no_window =
        std::any_of(offers.begin(), offers.end(), [](const Offer& one) { return one.no_window; });
    if (no_window && brings_windows(region->kind)) {
        tell_of_used_up_windows(team);
        place_again(without_windows(world));
    }
    int who = worst_offer(offers);
    if (who >= 0 && region->kind == Region::Kind::pooled && !no_window &&
        offers[static_cast<std::size_t>(who)].problem == Problem::no_range) {
        place_again(Region::Kind::own_window);
        who = worst_offer(offers);
    }
    if (who >= 0) {
        undo();
        return report_offer(call, team, who, offers[static_cast<std::size_t>(who)]);
    }
    const auto largest = std::max_element(offers.begin(), offers.end(),
                                          [](const Offer& a, const Offer& b) { return a.bytes < b.bytes; });
    if (largest->bytes == 0) { // nobody holds anything: no region, and nothing to free later
        std::fill_n(pointers, offers.size(), nullptr);
        return 0;
    }

    // 3. Place what is placed together.
    const bool symmetric = region->kind == Region::Kind::symmetric;
    if (symmetric && !place_symmetric(*region, static_cast<std::uint64_t>(largest->bytes))) {
        undo();
        who = static_cast<int>(largest - offers.begin());
        return report_no_range(call, team, who, largest->bytes);
    }
    if (world && network_ &&
        std::any_of(offers.begin(), offers.end(), [](const Offer& one) { return one.pool_is_low; }))
        network_->grow(Area::pooled, 0);

    region->bytes = my_bytes;
    std::vector<std::uint64_t> sizes(offers.size());
    std::vector<void*> starts(offers.size(), nullptr);
    for (std::size_t i = 0; i < offers.size(); ++i) {
        sizes[i] = static_cast<std::uint64_t>(offers[i].bytes);
        if (sizes[i] == 0)
            continue;
        if (!symmetric) {
            starts[i] = reinterpret_cast<void*>(offers[i].start);
        } else {
            const auto process = static_cast<std::size_t>(team.member(static_cast<int>(i)));
            std::byte* const slice = network_ ? network_->slice(static_cast<int>(process)) : slices_[process];
            starts[i] = slice + region->block.offset;
        }
    }
    if (network_ && !symmetric)
        make_windows(*network_, *region, team, starts);

    // 4. Publish, record, and let nobody out before all have published.
    region->start = static_cast<std::byte*>(starts[static_cast<std::size_t>(team.rank())]);
    if (my_bytes > 0 && region->in_arena())
        heap_.publish(region->block, my_bytes);
    std::copy(starts.begin(), starts.end(), pointers);
    if (network_) {
        region->starts = std::move(starts);
        enter_network(*network_, *region, sizes);
    }
    region->id = team.next_allocation();
    count_allocation(team, offers, pointers, region->id, bytes);
    {
        const std::lock_guard lock(guard_);
        if (my_bytes > 0) {
            if (region->in_arena())
                by_descriptor_[region->block.descriptor] = region.get();
            else
                outside_[reinterpret_cast<std::uintptr_t>(region->start)] = region.get();
        }
        const std::uint64_t id = region->id;
        teams_[&team].emplace(id, std::move(region));
    }
    team.barrier();
    return 0;
}

int GlobalMemory::free(const char* call, Team& team, void* pointer)
{
    if (network_)
        remote::fence_all();
    Claim claim{Region::alone, reinterpret_cast<std::uint64_t>(pointer), Problem::none, 0};
    if (pointer != nullptr) {
        const std::lock_guard lock(guard_);
        const Region* const region = at_start(pointer);
        if (region == nullptr)
            claim.problem = Problem::no_region;
        else if (region->team != &team)
            claim.problem = Problem::wrong_team;
        else if (region->open_accesses > 0)
            claim.problem = Problem::access_open;
        else
            claim.id = region->id;
    }
    std::uint64_t id = Region::alone;
    const std::vector<Claim> claims = team.exchange(claim);
    if (const int error = agree(call, team, claims, id))
        return error;
    if (id == Region::alone)
        return 0;
    forget_allocation(team, claims);
    std::unique_ptr<Region> region;
    {
        const std::lock_guard lock(guard_);
        Regions& regions = teams_[&team];
        const auto found = regions.find(id);
        region = std::move(found->second);
        regions.erase(found);
        if (regions.empty())
            teams_.erase(&team); // another team may come to lie at this address
    }
    drop(*region);
    return 0;
}

int GlobalMemory::allocate_alone(const char* call, std::int64_t bytes, void*& pointer)
{
    pointer = nullptr;
    if (bytes < 0)
        return diag::reject(call, "size is %" PRId64 " bytes; it must not be negative", bytes);
    if (bytes == 0)
        return 0;
    const auto size = static_cast<std::uint64_t>(bytes);
    std::uint64_t available = 0;
    if (!budget_.take(size, available))
        return diag::reject(call,
                            "%" PRIu64 " bytes asked, but only %" PRIu64
                            " bytes are available to global memory on this node",
                            size, available);
    auto region = std::make_unique<Region>();
    region->kind = network_ ? Region::Kind::pooled : Region::Kind::local;
    auto block = heap_.place(Region::area_of(region->kind), size);
    if (!block && network_) {
        region->kind = Region::Kind::local;
        block = heap_.place(Area::local, size);
    }
    if (!block) {
        budget_.give_back(size);
        return diag::reject(
            call, "%" PRIu64 " bytes asked, but the address range has no room; raise ARMCI_ARENA_SIZE", size);
    }
    heap_.publish(*block, size);
    region->block = *block;
    region->placed = true;
    region->start = heap_.address(*block);
    region->bytes = size;
    const std::lock_guard lock(guard_);
    by_descriptor_[block->descriptor] = region.get();
    alone_[block->descriptor] = std::move(region);
    pointer = heap_.address(*block);
    observe::statistics::count_allocation(bytes, 0, {});
    return 0;
}

int GlobalMemory::free_alone(const char* call, void* pointer)
{
    std::unique_ptr<Region> owned;
    {
        const std::lock_guard lock(guard_);
        const Region* const region = at_start(pointer);
        if (region == nullptr || region->team != nullptr)
            return diag::reject(
                call, "%p is not memory that this process made with ARMCI_Memget; freed already?", pointer);
        const auto found = alone_.find(region->block.descriptor);
        owned = std::move(found->second);
        alone_.erase(found);
    }
    drop(*owned);
    return 0;
}

bool GlobalMemory::in_use(const Team& team) const
{
    const std::lock_guard lock(guard_);
    return teams_.contains(&team);
}

bool GlobalMemory::shared_addresses() const
{
    return !network_ || network_->settings().window == WindowFlavour::pooled;
}

Region* GlobalMemory::covering(const void* pointer)
{
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    if (auto after = outside_.upper_bound(at); after != outside_.begin()) {
        const auto& [start, region] = *--after;
        if (at - start < region->bytes)
            return region;
    }
    const std::uint64_t offset = at - reinterpret_cast<std::uintptr_t>(heap_.slice());
    const Descriptor* const descriptor = heap_.directory().find(offset);
    if (descriptor == nullptr)
        return nullptr;
    const std::uint64_t from = offset - descriptor->start.load(std::memory_order_relaxed);
    if (from >= descriptor->size())
        return nullptr;
    const auto found = by_descriptor_.find(heap_.directory().index_of(descriptor));
    return found == by_descriptor_.end() ? nullptr : found->second;
}

Region* GlobalMemory::at_start(const void* pointer)
{
    Region* const region = covering(pointer);
    return region != nullptr && region->start == pointer ? region : nullptr;
}

// Windows go first: freeing one is collective and ends all access to the memory.
void GlobalMemory::drop(Region& region)
{
    if (network_)
        leave_network(*network_, region);
    if (region.bytes > 0) {
        const std::lock_guard lock(guard_);
        if (region.in_arena())
            by_descriptor_.erase(region.block.descriptor);
        else
            outside_.erase(reinterpret_cast<std::uintptr_t>(region.start));
        budget_.give_back(region.bytes);
    }
    if (region.placed)
        heap_.release(Region::area_of(region.kind), region.block, region.bytes);
}

Target GlobalMemory::locate(const char* call, int process, const void* address, std::uint64_t extent,
                            Use use) const
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Near near;
    Target target;
    if (network_) {
        target = network_->find(process, address, extent, use, near);
        if (target.local != nullptr || target.window != nullptr)
            return target;
    } else if (const Peer& peer = peers_[static_cast<std::size_t>(process)]; peer.holds(at, 1)) {
        const std::uint64_t offset = at - peer.base;
        const ChunkEntry entry(peer.chunks[offset >> chunk_shift].load(std::memory_order_acquire));
        const Descriptor& region = peer.descriptors[entry.descriptor_of(offset)];
        near = {peer.base + region.start.load(std::memory_order_relaxed), region.size()};
    }
    int owner = -1;
    for (std::size_t other = 0; other < neighbours_.size(); ++other)
        if (neighbours_[other].holds(at, 1))
            owner = static_cast<int>(other);
    target.error = report_miss(call, process, address, extent, near, owner);
    return target;
}

} // namespace armci::gmr
