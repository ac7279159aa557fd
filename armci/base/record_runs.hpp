// Record runs: equal records in a row kept as one, for tables that go from process to process. A table of
// allocations is mostly one run, however many processes there are.
//
// A run is a count of 4 bytes and the record's bytes. Records are compared by their bytes, so a record type
// must have no padding.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace armci::record_runs {

using Bytes = std::vector<std::byte>;

// Appends `count` records of `each` bytes.
void append(Bytes& runs, const std::byte* records, std::size_t count, std::size_t each);
// Appends other runs of such records.
void append(Bytes& runs, std::span<const std::byte> others, std::size_t each);
// Returns the runs of the first `count` records, and those of the rest.
std::pair<Bytes, Bytes> split(const Bytes& runs, std::size_t count, std::size_t each);
// Writes all records one after another.
void expand(std::span<const std::byte> runs, std::size_t each, std::byte* records);
// Returns the largest size of runs of `count` records.
constexpr std::size_t most_bytes(std::size_t count, std::size_t each)
{
    return count * (4 + each);
}

} // namespace armci::record_runs
