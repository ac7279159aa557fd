// Direct access to regions and their access modes: the part of GlobalMemory that asks for no memory.
#include "gmr/regions/agreement.hpp"
#include "gmr/regions/global_memory.hpp"
#include "gmr/transfer/remote.hpp"

#include "armci/base/diagnostics.hpp"

namespace armci::gmr {

int GlobalMemory::begin_access(const char* call, const void* pointer)
{
    const std::lock_guard lock(guard_);
    Region* const region = covering(pointer);
    if (region == nullptr)
        return diag::reject(
            call, "%p lies in no global memory of this process; pass an address in its own slice", pointer);
    ++region->open_accesses;
    return 0;
}

int GlobalMemory::end_access(const char* call, const void* pointer)
{
    const std::lock_guard lock(guard_);
    Region* const region = covering(pointer);
    if (region == nullptr)
        return diag::reject(
            call, "%p lies in no global memory of this process; pass an address in its own slice", pointer);
    if (region->open_accesses == 0)
        return diag::reject(
            call, "no access to the region of %p is open; ARMCI_Access_begin was not called for it", pointer);
    --region->open_accesses;
    return 0;
}

int GlobalMemory::set_mode(const char* call, Team& team, const void* pointer, int mode, bool known)
{
    if (network_)
        remote::fence_all();
    Claim claim = claim_on(team, pointer, false);
    claim.mode = mode;
    if (!known)
        claim.problem = Problem::unknown_mode;
    const RecordTable<Claim> claims = team.exchange_runs(claim);
    std::uint64_t id = Region::alone;
    const AddressOf address = [this](int process, std::uint64_t from_slice) {
        return address_of(process, from_slice);
    };
    if (const int error = agree(call, team, claims, address, id))
        return error;
    const int first_mode = claims[0].mode;
    if (const auto* other = claims.find([&](const Claim& one) { return one.mode != first_mode; })) {
        const int who = static_cast<int>(other->first);
        return diag::reject_together(
            team.rank() == who, call,
            "process %d gave mode 0x%x and process %d gave mode 0x%x; all must give the same", team.member(0),
            static_cast<unsigned>(first_mode), team.member(who), static_cast<unsigned>(other->record.mode));
    }
    if (id == Region::alone)
        return 0;
    const std::lock_guard lock(guard_);
    teams_[&team].at(id)->mode = mode;
    return 0;
}

int GlobalMemory::mode(const char* call, const void* pointer)
{
    const std::lock_guard lock(guard_);
    const Region* const region = covering(pointer);
    if (region == nullptr) {
        diag::reject(call, "%p lies in no global memory of this process; pass an address in its own slice",
                     pointer);
        return -1;
    }
    return region->mode;
}

} // namespace armci::gmr
