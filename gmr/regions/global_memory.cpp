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
#include <utility>

namespace armci::gmr {
namespace {

// One that goes, by the first member that has a part of it.
void forget_allocation(const Team& team, const RecordTable<Claim>& claims, const AddressOf& address)
{
    const auto* const first = claims.find([](const Claim& one) { return one.id != Region::alone; });
    const int process = team.member(static_cast<int>(first->first));
    observe::statistics::forget_allocation(
        process, reinterpret_cast<std::uintptr_t>(address(process, first->record.pointer)));
}

} // namespace

GlobalMemory* GlobalMemory::the_one_ = nullptr;

GlobalMemory::GlobalMemory(MPI_Comm world, const Topology& topology, int me, const Settings& settings,
                           bool gated, std::unique_ptr<ActiveMessages> messages)
    : arena_(Arena::create(world, topology, me, settings)),
      heap_(arena_, topology.node_rank(me), settings.uses_network(topology.nodes())),
      budget_(arena_, MemoryBudget::count(world, topology),
              static_cast<int>(topology.members(topology.my_node()).size()),
              static_cast<std::uint64_t>(settings.memory_limit), settings.memory_check != 0),
      messages_(std::move(messages)), first_neighbour_(topology.members(topology.my_node()).front())
{
    if (settings.uses_network(topology.nodes()))
        network_ = std::make_unique<Translation>(world, topology, arena_, heap_, settings,
                                                 messages_ ? Translation::Reach::messages
                                                           : Translation::Reach::windows);
    const bool load_store = !network_ || network_->load_store();
    const bool cpus_add =
        network_ && !messages_ && load_store && settings.atomics_policy != AtomicsPolicy::fixed_network;
    const bool takes_turns = settings.atomics_policy == AtomicsPolicy::automatic ||
                             settings.atomics_policy == AtomicsPolicy::turns;
    if (cpus_add && gated && takes_turns)
        mpi_exclusion_ = MpiExclusion::where_it_holds(world, topology, heap_, settings);
    if (cpus_add && !(mpi_exclusion_ && mpi_exclusion_->covers_all()))
        modes_ = std::make_unique<Modes>(world, topology, heap_, settings, mpi_exclusion_ != nullptr);
    const NodeMembers members = topology.members(topology.my_node());
    neighbours_.resize(static_cast<std::size_t>(members.back() - first_neighbour_) + 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const int node_rank = static_cast<int>(i);
        neighbours_[static_cast<std::size_t>(members[i] - first_neighbour_)] =
            Peer(arena_.slice(node_rank), Directory(arena_.directory(node_rank), arena_.span()));
    }
    set_accumulate_locks(arena_.accumulate_locks());
    ordering::set(settings.ordering);
    peers.at = neighbours_.data();
    peers.first = static_cast<unsigned>(first_neighbour_);
    peers.count = load_store ? static_cast<unsigned>(neighbours_.size()) : 0;
    peers.processes = static_cast<unsigned>(topology.processes());
    peers.cpu_atomics = !network_ || messages_;
    peers.network = network_ != nullptr;
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
    mpi_exclusion_.reset();
    messages_.reset();
    slots::forget_all();
    end_regions();
    peers.at = nullptr;
    peers.count = peers.processes = peers.first = 0;
    peers.cpu_atomics = false;
    peers.network = false;
    peers.quiet = false;
    peers.detours.clear(~0U);
    set_accumulate_locks({});
}

// What the program has not freed, in the order in which it came: the members of several teams then free its
// windows alike, which is collective.
void GlobalMemory::end_regions()
{
    std::map<std::uint64_t, std::unique_ptr<Region>> left;
    for (auto& [team, regions] : teams_)
        for (auto& [id, region] : regions)
            left.emplace(region->birth, std::move(region));
    teams_.clear();
    while (!left.empty())
        left.erase(left.begin());
}

// Without a network all processes are of my node.
std::byte* GlobalMemory::slice(int process) const
{
    return network_ ? network_->slice(process)
                    : reinterpret_cast<std::byte*>(
                          neighbours_[static_cast<std::size_t>(process - first_neighbour_)].base);
}

void* GlobalMemory::address_of(int process, std::uint64_t from_slice) const
{
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slice(process)) + from_slice);
}

Claim GlobalMemory::claim_on(const Team& team, const void* pointer, bool to_free)
{
    Claim claim{Region::alone, 0, Problem::none, 0};
    if (pointer == nullptr)
        return claim;
    claim.pointer =
        reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(heap_.slice());
    const std::lock_guard lock(guard_);
    const Region* const region = at_start(pointer);
    if (region == nullptr)
        claim.problem = Problem::no_region;
    else if (region->team != &team)
        claim.problem = Problem::wrong_team;
    else if (to_free && region->open_accesses > 0)
        claim.problem = Problem::access_open;
    else
        claim.id = region->id;
    return claim;
}

int GlobalMemory::free(const char* call, Team& team, void* pointer)
{
    if (network_)
        remote::fence_all();
    const Claim claim = claim_on(team, pointer, true);
    std::uint64_t id = Region::alone;
    const RecordTable<Claim> claims = team.exchange_runs(claim);
    const AddressOf address = [this](int process, std::uint64_t from_slice) {
        return address_of(process, from_slice);
    };
    if (const int error = agree(call, team, claims, address, id))
        return error;
    if (id == Region::alone)
        return 0;
    if (observe::statistics::enabled())
        forget_allocation(team, claims, address);
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

const char* GlobalMemory::atomics() const
{
    if (peers.cpu_atomics)
        return network_ ? "by CPUs, asked by messages of other nodes over TCP" : "by CPUs";
    if (modes_ && mpi_exclusion_)
        return "accumulates by CPUs and calls of MPI in turns, read-modify-writes by CPUs or MPI, until a "
               "barrier";
    if (modes_)
        return "by CPUs or MPI, until a barrier";
    return mpi_exclusion_ ? "by CPUs and calls of MPI in turns" : "by MPI";
}

Target GlobalMemory::locate(const char* call, int process, const void* address, std::uint64_t extent,
                            Use use) const
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Near near;
    Target target;
    if (network_) {
        target = network_->find(process, address, extent, use, near);
        if (!target.is_miss())
            return target;
    } else if (peers.hold(process, address, 1)) {
        const Peer& peer = *peers.of(process);
        const std::uint64_t offset = at - peer.base;
        const ChunkEntry entry(peer.chunks[offset >> chunk_shift].load(std::memory_order_acquire));
        const Descriptor& region = peer.descriptors[entry.descriptor_of(offset)];
        near = {peer.base + region.start.load(std::memory_order_relaxed), region.size()};
    }
    int owner = -1;
    for (std::size_t other = 0; other < neighbours_.size(); ++other)
        if (neighbours_[other].holds(at, 1))
            owner = static_cast<int>(other) + first_neighbour_;
    target.error = report_miss(call, process, address, extent, near, owner);
    return target;
}

} // namespace armci::gmr
