// Statistics: operations and bytes by kind and path, counted when ARMCI_STATS is set.
// Counting costs one predictable branch when it is off.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace armci::stats {

enum class Kind {
    put,
    get,
    accumulate,
    put_strided,
    get_strided,
    accumulate_strided,
    put_vector,
    get_vector,
    accumulate_vector,
    rmw,
    kinds
};

extern bool enabled;

[[gnu::cold, gnu::noinline]] void count_enabled(Kind kind, std::int64_t bytes, bool load_store);

// One operation of `bytes` in total.
inline void count(Kind kind, std::int64_t bytes, bool load_store)
{
    if (enabled) [[unlikely]]
        count_enabled(kind, bytes, load_store);
}

void count_allocation(std::int64_t bytes);
// Of a process from CPU mode to MPI, for one kind of atomic operations (gmr/modes.hpp).
void count_switch();

// Operations and bytes for each kind by load/store, then for each kind by MPI, then for allocations; and
// switches.
inline constexpr std::size_t totals = 2 * (2 * static_cast<std::size_t>(Kind::kinds) + 1) + 1;
std::array<std::uint64_t, totals> read();

// Prints the sums over all processes.
void print(const std::array<std::uint64_t, totals>& sums);

} // namespace armci::stats
