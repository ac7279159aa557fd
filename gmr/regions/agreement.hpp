// Agreement: what the members of a team tell each other in a collective call on regions, and how all come to
// the same error. One member's mistake is everybody's error; the member that made it speaks.
#pragma once

#include "armci/base/record_table.hpp"
#include "gmr/memory/team.hpp"

#include <cstdint>
#include <functional>

namespace armci::gmr {

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

// Addresses count from the start of the member's slice of the arena, so that members in step say the same,
// which then is sent once. Records have no padding.
struct Offer {
    std::int64_t bytes;
    std::uint64_t available;
    std::uint64_t start; // where I place my slice alone
    Problem problem;
    std::uint16_t pool_is_low;
    std::uint16_t no_window; // MPI is to make me no more windows
};

struct Claim {
    std::uint64_t id; // 0: NULL was passed
    std::uint64_t pointer;
    Problem problem;
    int mode; // for set_mode
};

// The member whose offer is to be reported; -1 when all is well. Where memory is short, that is the one who
// asked for most: the others may have been refused only because its request stood against theirs.
int worst_offer(const RecordTable<Offer>& offers);

// Report a member's offer, as every member does; `who` by team rank. Return the code for the caller.
int report_offer(const char* call, const Team& team, int who, const Offer& offer);
int report_no_range(const char* call, const Team& team, int who, std::int64_t bytes);

// Addresses of a member, by its process, from what its record says.
using AddressOf = std::function<void*(int process, std::uint64_t from_slice)>;

// Finds the one region that all claims name: members whose slice is empty pass NULL and follow the others.
// Leaves `id` as it is when all are NULL. Returns 0, or the code of the report.
int agree(const char* call, const Team& team, const RecordTable<Claim>& claims, const AddressOf& address,
          std::uint64_t& id);

} // namespace armci::gmr
