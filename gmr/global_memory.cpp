#include "gmr/global_memory.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/stats.hpp"
#include "gmr/accumulate.hpp"

#include <algorithm>
#include <cinttypes>

namespace armci::gmr {
namespace {

// What is wrong with one member's part of a collective call.
enum class Problem : int {
    none,
    no_array,
    negative_size,
    no_memory,
    no_range,
    no_region,
    wrong_team,
    access_open,
    unknown_mode
};

struct Offer {
    std::int64_t bytes;
    std::uint64_t available;
    std::uint64_t offset;
    Problem problem;
};

struct Claim {
    std::uint64_t id; // 0: NULL was passed
    std::uint64_t pointer;
    Problem problem;
    int mode; // for set_mode
};

template <class Records> int first_with_problem(const Records& all)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.problem != Problem::none; });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

// The member whose offer is to be reported. Where memory is short, that is the one who asked for most: the others may
// have been refused only because its request stood against theirs.
int worst_offer(const std::vector<Offer>& offers)
{
    int worst = first_with_problem(offers);
    if (worst < 0) return worst;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const Offer& so_far = offers[static_cast<std::size_t>(worst)];
        if (offers[i].problem == Problem::none || so_far.problem != Problem::no_memory) continue;
        if (offers[i].problem != Problem::no_memory || offers[i].bytes > so_far.bytes) worst = static_cast<int>(i);
    }
    return worst;
}

int report_no_range(bool speaker, const char* call, int process, std::int64_t bytes)
{
    return diag::reject_together(speaker, call,
                                 "process %d asked for %" PRId64
                                 " bytes, and its address range has no room (or no descriptor) left for it; raise "
                                 "ARMCI_ARENA_SIZE",
                                 process, bytes);
}

int report_offer(bool speaker, const char* call, int process, const Offer& offer)
{
    switch (offer.problem) {
    case Problem::no_array:
        return diag::reject_together(speaker, call,
                                     "process %d passed NULL for the array of pointers; it must have an entry for each "
                                     "process of the group",
                                     process);
    case Problem::negative_size:
        return diag::reject_together(speaker, call, "process %d asked for %" PRId64 " bytes; it must not be negative",
                                     process, offer.bytes);
    case Problem::no_memory:
        return diag::reject_together(speaker, call,
                                     "process %d asked for %" PRId64 " bytes, but only %" PRIu64
                                     " bytes are available to global memory on its node (memory, control group, "
                                     "backing store and ARMCI_MEMORY_LIMIT considered)",
                                     process, offer.bytes, offer.available);
    default: return report_no_range(speaker, call, process, offer.bytes);
    }
}

int report_claim(bool speaker, const char* call, int process, const Claim& claim)
{
    void* const pointer = reinterpret_cast<void*>(claim.pointer);
    switch (claim.problem) {
    case Problem::wrong_team:
        return diag::reject_together(speaker, call,
                                     "process %d passed %p, which was allocated on another group; free it on the group "
                                     "that allocated it",
                                     process, pointer);
    case Problem::access_open:
        return diag::reject_together(speaker, call,
                                     "process %d passed %p, to which a direct access is still open; call "
                                     "ARMCI_Access_end first",
                                     process, pointer);
    case Problem::unknown_mode:
        return diag::reject_together(speaker, call,
                                     "process %d gave mode 0x%x; it must be a sum of ARMCIX_MODE_ values without both "
                                     "READ_ONLY and ACC_ONLY",
                                     process, static_cast<unsigned>(claim.mode));
    default:
        return diag::reject_together(speaker, call,
                                     "process %d passed %p, which is not the start of global memory of that process; "
                                     "it was never allocated or is freed already",
                                     process, pointer);
    }
}

// Finds the one region that all claims name: members whose slice is empty pass NULL and follow the others. Leaves `id`
// as it is when all are NULL.
int agree(const char* call, const Team& team, const std::vector<Claim>& claims, std::uint64_t& id)
{
    if (const int who = first_with_problem(claims); who >= 0)
        return report_claim(team.rank() == who, call, team.member(who), claims[static_cast<std::size_t>(who)]);
    const auto leader = std::find_if(claims.begin(), claims.end(), [](const Claim& one) { return one.id != 0; });
    if (leader == claims.end()) return 0;
    const auto other = std::find_if(claims.begin(), claims.end(),
                                    [&](const Claim& one) { return one.id != 0 && one.id != leader->id; });
    if (other != claims.end()) {
        const int first = static_cast<int>(leader - claims.begin());
        const int second = static_cast<int>(other - claims.begin());
        return diag::reject_together(team.rank() == second, call,
                                     "process %d passed %p and process %d passed %p, which belong to different "
                                     "allocations; all must pass the same one",
                                     team.member(first), reinterpret_cast<void*>(leader->pointer),
                                     team.member(second), reinterpret_cast<void*>(other->pointer));
    }
    id = leader->id;
    return 0;
}

} // namespace

GlobalMemory::GlobalMemory(const Topology& topology, int me, const Settings& settings)
    : arena_(Arena::create(topology, me, settings)), heap_(arena_, topology.node_rank(me)),
      budget_(arena_, static_cast<int>(topology.members(topology.my_node()).size()),
              static_cast<std::uint64_t>(settings.memory_limit), settings.memory_check != 0),
      peers_(static_cast<std::size_t>(topology.processes())), slices_(static_cast<std::size_t>(topology.processes()))
{
    for (const int process : topology.members(topology.my_node())) {
        const int node_rank = topology.node_rank(process);
        std::byte* const slice = arena_.slice(node_rank);
        slices_[static_cast<std::size_t>(process)] = slice;
        peers_[static_cast<std::size_t>(process)] =
            Peer(slice, Directory(arena_.directory(node_rank), arena_.span()));
    }
    set_accumulate_locks(&arena_.control());
    peers = {peers_.data(), static_cast<unsigned>(peers_.size())};
}

GlobalMemory::~GlobalMemory()
{
    peers = {};
    set_accumulate_locks(nullptr);
}

int GlobalMemory::allocate(const char* call, Team& team, bool symmetric, void** pointers, std::int64_t bytes)
{
    // 1. Offer: my size, my place where I choose it alone, and what stands against it.
    const Half half = symmetric ? Half::symmetric : Half::own;
    Offer offer{bytes, 0, 0, Problem::none};
    auto region = std::make_unique<Region>();
    region->team = &team;
    region->half = half;
    const auto my_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
    bool taken = false;
    if (pointers == nullptr) {
        offer.problem = Problem::no_array;
    } else if (bytes < 0) {
        offer.problem = Problem::negative_size;
    } else if (bytes > 0) {
        taken = budget_.take(my_bytes, offer.available);
        if (!taken) offer.problem = Problem::no_memory;
        if (taken && !symmetric) {
            if (const auto block = heap_.place(half, my_bytes)) {
                region->block = *block;
                region->placed = true;
                offer.offset = block->offset;
            } else {
                offer.problem = Problem::no_range;
            }
        }
    }
    const auto undo = [&] {
        if (region->placed) heap_.release(half, region->block, 0);
        if (taken) budget_.give_back(my_bytes);
    };

    // 2. Agree: one problem anywhere is everybody's error.
    const auto offers = team.exchange(offer);
    if (const int who = worst_offer(offers); who >= 0) {
        undo();
        return report_offer(team.rank() == who, call, team.member(who), offers[static_cast<std::size_t>(who)]);
    }
    const auto largest = std::max_element(offers.begin(), offers.end(),
                                          [](const Offer& a, const Offer& b) { return a.bytes < b.bytes; });
    if (largest->bytes == 0) { // nobody holds anything: no region, and nothing to free later
        std::fill_n(pointers, offers.size(), nullptr);
        return 0;
    }

    // 3. Place the symmetric block; every member comes to the same answer.
    if (symmetric) {
        const auto block = heap_.place(half, static_cast<std::uint64_t>(largest->bytes));
        if (!block) {
            undo();
            const int who = static_cast<int>(largest - offers.begin());
            return report_no_range(team.rank() == who, call, team.member(who), largest->bytes);
        }
        region->block = *block;
        region->placed = true;
    }

    // 4. Publish, record, and let nobody out before all have published.
    region->bytes = my_bytes;
    if (my_bytes > 0) heap_.publish(region->block, my_bytes);
    {
        const std::lock_guard lock(guard_);
        TeamRegions& regions = teams_[&team];
        region->id = ++regions.last_id;
        if (my_bytes > 0) by_descriptor_[region->block.descriptor] = region.get();
        const std::uint64_t id = region->id;
        const Region& kept = *regions.by_id.emplace(id, std::move(region)).first->second;
        for (std::size_t i = 0; i < offers.size(); ++i) {
            const std::uint64_t offset = symmetric ? kept.block.offset : offers[i].offset;
            std::byte* const slice = slices_[static_cast<std::size_t>(team.member(static_cast<int>(i)))];
            pointers[i] = offers[i].bytes > 0 ? slice + offset : nullptr;
        }
    }
    stats::count_allocation(bytes);
    team.barrier();
    return 0;
}

int GlobalMemory::free(const char* call, Team& team, void* pointer)
{
    Claim claim{alone, reinterpret_cast<std::uint64_t>(pointer), Problem::none, 0};
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
    std::uint64_t id = alone;
    if (const int error = agree(call, team, team.exchange(claim), id)) return error;
    if (id != alone) free_together(team, id);
    return 0;
}

void GlobalMemory::free_together(Team& team, std::uint64_t id)
{
    const std::lock_guard lock(guard_);
    TeamRegions& regions = teams_[&team];
    const auto found = regions.by_id.find(id);
    const std::unique_ptr<Region> region = std::move(found->second);
    regions.by_id.erase(found);
    drop(*region);
}

int GlobalMemory::allocate_alone(const char* call, std::int64_t bytes, void*& pointer)
{
    pointer = nullptr;
    if (bytes < 0) return diag::reject(call, "size is %" PRId64 " bytes; it must not be negative", bytes);
    if (bytes == 0) return 0;
    const auto size = static_cast<std::uint64_t>(bytes);
    std::uint64_t available = 0;
    if (!budget_.take(size, available))
        return diag::reject(call, "%" PRIu64 " bytes asked, but only %" PRIu64
                                  " bytes are available to global memory on this node",
                            size, available);
    const auto block = heap_.place(Half::own, size);
    if (!block) {
        budget_.give_back(size);
        return diag::reject(call, "%" PRIu64 " bytes asked, but the address range has no room; raise ARMCI_ARENA_SIZE",
                            size);
    }
    heap_.publish(*block, size);
    auto region = std::make_unique<Region>();
    region->block = *block;
    region->placed = true;
    region->bytes = size;
    const std::lock_guard lock(guard_);
    by_descriptor_[block->descriptor] = region.get();
    alone_[block->descriptor] = std::move(region);
    pointer = heap_.address(*block);
    stats::count_allocation(bytes);
    return 0;
}

int GlobalMemory::free_alone(const char* call, void* pointer)
{
    const std::lock_guard lock(guard_);
    const Region* const region = at_start(pointer);
    if (region == nullptr || region->team != nullptr)
        return diag::reject(call, "%p is not memory that this process made with ARMCI_Memget; freed already?", pointer);
    const auto found = alone_.find(region->block.descriptor);
    const std::unique_ptr<Region> owned = std::move(found->second);
    alone_.erase(found);
    drop(*owned);
    return 0;
}

int GlobalMemory::begin_access(const char* call, const void* pointer)
{
    const std::lock_guard lock(guard_);
    Region* const region = covering(pointer);
    if (region == nullptr)
        return diag::reject(call, "%p lies in no global memory of this process; pass an address in its own slice",
                            pointer);
    ++region->open_accesses;
    return 0;
}

int GlobalMemory::end_access(const char* call, const void* pointer)
{
    const std::lock_guard lock(guard_);
    Region* const region = covering(pointer);
    if (region == nullptr)
        return diag::reject(call, "%p lies in no global memory of this process; pass an address in its own slice",
                            pointer);
    if (region->open_accesses == 0)
        return diag::reject(call, "no access to the region of %p is open; ARMCI_Access_begin was not called for it",
                            pointer);
    --region->open_accesses;
    return 0;
}

int GlobalMemory::set_mode(const char* call, Team& team, const void* pointer, int mode, bool known)
{
    Claim claim{alone, reinterpret_cast<std::uint64_t>(pointer), Problem::none, mode};
    if (!known) {
        claim.problem = Problem::unknown_mode;
    } else if (pointer != nullptr) {
        const std::lock_guard lock(guard_);
        const Region* const region = at_start(pointer);
        if (region == nullptr)
            claim.problem = Problem::no_region;
        else if (region->team != &team)
            claim.problem = Problem::wrong_team;
        else
            claim.id = region->id;
    }
    const auto claims = team.exchange(claim);
    std::uint64_t id = alone;
    if (const int error = agree(call, team, claims, id)) return error;
    for (std::size_t i = 1; i < claims.size(); ++i)
        if (claims[i].mode != claims[0].mode)
            return diag::reject_together(team.rank() == static_cast<int>(i), call,
                                         "process %d gave mode 0x%x and process %d gave mode 0x%x; all must give the same",
                                         team.member(0), static_cast<unsigned>(claims[0].mode),
                                         team.member(static_cast<int>(i)), static_cast<unsigned>(claims[i].mode));
    if (id == alone) return 0;
    const std::lock_guard lock(guard_);
    teams_[&team].by_id.at(id)->mode = mode;
    return 0;
}

int GlobalMemory::mode(const char* call, const void* pointer)
{
    const std::lock_guard lock(guard_);
    const Region* const region = covering(pointer);
    if (region == nullptr) {
        diag::reject(call, "%p lies in no global memory of this process; pass an address in its own slice", pointer);
        return -1;
    }
    return region->mode;
}

bool GlobalMemory::in_use(const Team& team) const
{
    const std::lock_guard lock(guard_);
    const auto found = teams_.find(&team);
    return found != teams_.end() && !found->second.by_id.empty();
}

GlobalMemory::Region* GlobalMemory::covering(const void* pointer)
{
    const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) - heap_.slice());
    const Descriptor* const descriptor = heap_.directory().find(offset);
    if (descriptor == nullptr) return nullptr;
    const std::uint64_t from = offset - descriptor->start.load(std::memory_order_relaxed);
    if (from >= descriptor->size.load(std::memory_order_relaxed)) return nullptr;
    const auto found = by_descriptor_.find(heap_.directory().index_of(descriptor));
    return found == by_descriptor_.end() ? nullptr : found->second;
}

GlobalMemory::Region* GlobalMemory::at_start(const void* pointer)
{
    Region* const region = covering(pointer);
    return region != nullptr && heap_.address(region->block) == pointer ? region : nullptr;
}

void GlobalMemory::drop(Region& region)
{
    if (region.bytes > 0) {
        by_descriptor_.erase(region.block.descriptor);
        budget_.give_back(region.bytes);
    }
    if (region.placed) heap_.release(region.half, region.block, region.bytes);
}

} // namespace armci::gmr
