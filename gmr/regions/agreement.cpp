#include "gmr/regions/agreement.hpp"

#include "armci/base/diagnostics.hpp"

#include <algorithm>
#include <cinttypes>

namespace armci::gmr {
namespace {

template <class Records>
int first_with_problem(const Records& all)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.problem != Problem::none; });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
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

int worst_offer(const std::vector<Offer>& offers)
{
    int worst = first_with_problem(offers);
    if (worst < 0)
        return worst;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const Offer& so_far = offers[static_cast<std::size_t>(worst)];
        if (offers[i].problem == Problem::none || so_far.problem != Problem::no_memory)
            continue;
        if (offers[i].problem != Problem::no_memory || offers[i].bytes > so_far.bytes)
            worst = static_cast<int>(i);
    }
    return worst;
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

int agree(const char* call, const Team& team, const std::vector<Claim>& claims, const AddressOf& address,
          std::uint64_t& id)
{
    if (const int who = first_with_problem(claims); who >= 0) {
        const Claim& claim = claims[static_cast<std::size_t>(who)];
        return report_claim(call, team, who, claim, address(team.member(who), claim.pointer));
    }
    const auto leader =
        std::find_if(claims.begin(), claims.end(), [](const Claim& one) { return one.id != 0; });
    if (leader == claims.end())
        return 0;
    const auto other = std::find_if(claims.begin(), claims.end(),
                                    [&](const Claim& one) { return one.id != 0 && one.id != leader->id; });
    if (other != claims.end()) {
        const int first = static_cast<int>(leader - claims.begin());
        const int second = static_cast<int>(other - claims.begin());
        return diag::reject_together(
            team.rank() == second, call,
            "process %d passed %p and process %d passed %p, which belong to different "
            "allocations; all must pass the same one",
            team.member(first), address(team.member(first), leader->pointer), team.member(second),
            address(team.member(second), other->pointer));
    }
    id = leader->id;
    return 0;
}

} // namespace armci::gmr
