// Races: accesses of two processes to the same bytes, one of which at least changes them, that nothing
// orders.
#pragma once

#include "armci/base/check/order.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::check {

// Accumulates and read-modify-writes are atomic, and so do not conflict with one another.
enum class Access : std::uint8_t { read, write, atomic };

using CallName = std::array<char, 27>; // cut, if need be, and ended by 0
CallName call_name(const char* call);

// Bytes of one process's memory that an operation touched.
struct Touch {
    std::uint64_t begin;
    std::uint64_t end;
    std::int32_t origin;
    std::uint32_t synchronisations; // of the origin, before
    Access access;
    CallName call;
};

struct Race {
    Touch first;
    Touch second;
    std::uint64_t begin;
    std::uint64_t end;
};

// Joins what one operation after the other touched alike, if they lie together.
void join(std::vector<Touch>& touches);

// One for each pair of origins and calls that meet, and at most so many.
std::vector<Race> find_races(std::vector<Touch> touches, const Order& order, std::size_t most);

} // namespace armci::check
