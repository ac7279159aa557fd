// Access: what an operation does to the target's bytes, and the rule which later one must wait for it.
#pragma once

#include <cstdint>

namespace armci::gmr {

// MPI keeps ordered puts and gets behind earlier ordered puts. A fetch-and-op may answer before its new value
// is in place; a later one waits for that. Accumulates of one type commute; those of two types do not where
// one carries into the other's bytes, and Open MPI does not keep them in order (docs/mpi-facts.md).
enum class Access : std::uint8_t {
    get,
    put,
    ordered_get,
    ordered_put,
    accumulate_int,
    accumulate_long,
    accumulate_float,
    accumulate_double,
    fetch_and_op
};

constexpr bool is_get(Access access)
{
    return access == Access::get || access == Access::ordered_get;
}

// Whether `later` must wait for an earlier access to the same bytes to be complete, as MPI does not keep it
// behind.
constexpr bool must_wait(Access earlier, Access later)
{
    switch (earlier) {
    case Access::put:
        return true;
    case Access::ordered_put:
        return later != Access::ordered_put && later != Access::ordered_get;
    case Access::get:
    case Access::ordered_get:
        return !is_get(later);
    default:
        return later != earlier;
    }
}

} // namespace armci::gmr
