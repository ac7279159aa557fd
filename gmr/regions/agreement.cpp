#include "gmr/regions/agreement.hpp"

#include "armci/base/diagnostics.hpp"

#include <cinttypes>

namespace armci::gmr {
namespace {

bool has_problem(const Offer& offer)
{
    return offer.problem != Problem::none;
}

int report_claim(const char* call, const Team& team, int who, const Claim& claim, void* pointer)
{
    const bool speaker = team.rank() == who;
    const int process = team.member(who);
    switch (claim.problem) {
    case Problem::wrong_team:
        return diag::reject_together(
            speaker, call,
            "process %d passed %p, which was allocated on another group; free it on the group "
            "that allocated it",
            process, pointer);
    case Problem::access_open:
        return diag::reject_together(speaker, call,
                                     "process %d passed %p, to which a direct access is still open; call "
                                     "ARMCI_Access_end first",
                                     process, pointer);
    case Problem::unknown_mode:
        return diag::reject_together(
            speaker, call,
            "process %d gave mode 0x%x; it must be a sum of ARMCIX_MODE_ values without both "
            "READ_ONLY and ACC_ONLY",
            process, static_cast<unsigned>(claim.mode));
    default:
        return diag::reject_together(
            speaker, call,
            "process %d passed %p, which is not the start of global memory of that process; "
            "it was never allocated or is freed already",
            process, pointer);
    }
}

} // namespace

int worst_offer(const RecordTable<Offer>& offers)
{
    const auto* worst = offers.find(has_problem);
    if (worst == nullptr)
        return -1;
    for (const auto& one : offers.runs()) {
        if (!has_problem(one.record) || worst->record.problem != Problem::no_memory)
            continue;
        if (one.record.problem != Problem::no_memory || one.record.bytes > worst->record.bytes)
            worst = &one;
    }
    return static_cast<int>(worst->first);
}

int report_no_range(const char* call, const Team& team, int who, std::int64_t bytes)
{
    return diag::reject_together(
        team.rank() == who, call,
        "process %d asked for %" PRId64
        " bytes, and its address range has no room (or no descriptor) left for it; raise "
        "ARMCI_ARENA_SIZE",
        team.member(who), bytes);
}

int report_offer(const char* call, const Team& team, int who, const Offer& offer)
{
    const bool speaker = team.rank() == who;
    const int process = team.member(who);
    switch (offer.problem) {
    case Problem::no_array:
        return diag::reject_together(
            speaker, call,
            "process %d passed NULL for the array of pointers; it must have an entry for each "
            "process of the group",
            process);
    case Problem::negative_size:
        return diag::reject_together(speaker, call,
                                     "process %d asked for %" PRId64 " bytes; it must not be negative",
                                     process, offer.bytes);
    case Problem::no_memory:
        return diag::reject_together(
            speaker, call,
            "process %d asked for %" PRId64 " bytes, but only %" PRIu64
            " bytes are available to global memory on its node (memory, control group, "
            "backing store and ARMCI_MEMORY_LIMIT considered)",
            process, offer.bytes, offer.available);
    default:
        return report_no_range(call, team, who, offer.bytes);
    }
}

int agree(const char* call, const Team& team, const RecordTable<Claim>& claims, const AddressOf& address,
          std::uint64_t& id)
{
    if (const auto* bad = claims.find([](const Claim& one) { return one.problem != Problem::none; })) {
        const int who = static_cast<int>(bad->first);
        return report_claim(call, team, who, bad->record, address(team.member(who), bad->record.pointer));
    }
    const auto* const leader = claims.find([](const Claim& one) { return one.id != 0; });
    if (leader == nullptr)
        return 0;
    const auto* const other =
        claims.find([&](const Claim& one) { return one.id != 0 && one.id != leader->record.id; });
    if (other != nullptr) {
        const int first = static_cast<int>(leader->first);
        const int second = static_cast<int>(other->first);
        return diag::reject_together(
            team.rank() == second, call,
            "process %d passed %p and process %d passed %p, which belong to different "
            "allocations; all must pass the same one",
            team.member(first), address(team.member(first), leader->record.pointer), team.member(second),
            address(team.member(second), other->record.pointer));
    }
    id = leader->record.id;
    return 0;
}

} // namespace armci::gmr
