#include "tools/scale/collectives.hpp"

#include "armci/base/record_runs.hpp"
#include "gmr/regions/agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace armci::scale {
namespace {

// In each step every node tells one other.
Messages dissemination(Shape shape, std::int64_t bytes)
{
    const std::int64_t count = shape.nodes * steps(shape.nodes);
    return {count, steps(shape.nodes), count * bytes};
}

// Follows what each node waits for, as nodes without a guest are a step ahead of those with one.
std::int64_t combined_in_a_row(std::int64_t paired, std::int64_t guests)
{
    const auto count = static_cast<std::size_t>(paired);
    const auto with_guest = static_cast<std::size_t>(guests);
    std::vector<std::int64_t> row(count, 0);
    std::fill_n(row.begin(), with_guest, 1);
    for (std::size_t step = 1; step < count; step *= 2) {
        const std::vector<std::int64_t> before = row;
        for (std::size_t i = 0; i < count; ++i)
            row[i] = std::max(before[i], before[i ^ step] + 1);
    }
    std::int64_t most = *std::max_element(row.begin(), row.end());
    for (std::size_t i = 0; i < with_guest; ++i)
        most = std::max(most, row[i] + 1);
    return most;
}

} // namespace

std::int64_t steps(std::int64_t nodes)
{
    std::int64_t count = 0;
    while (std::int64_t{1} << count < nodes)
        ++count;
    return count;
}

Messages barrier(Shape shape)
{
    return dissemination(shape, 1);
}

Messages exchange(Shape shape, std::int64_t record)
{
    return dissemination(
        shape, static_cast<std::int64_t>(record_runs::most_bytes(1, static_cast<std::size_t>(record))));
}

Messages allocation(Shape shape)
{
    return exchange(shape, sizeof(gmr::Offer));
}

Messages release(Shape shape)
{
    return exchange(shape, sizeof(gmr::Claim));
}

// The nodes beyond a power of two give their part to another before, and hear the result after.
Messages combination(Shape shape, std::int64_t bytes)
{
    std::int64_t paired = 1;
    while (2 * paired <= shape.nodes)
        paired *= 2;
    const std::int64_t guests = shape.nodes - paired;
    const std::int64_t count = paired * steps(paired) + 2 * guests;
    return {count, combined_in_a_row(paired, guests), count * bytes};
}

Messages broadcast(Shape shape, std::int64_t bytes)
{
    return {shape.nodes - 1, steps(shape.nodes), (shape.nodes - 1) * bytes};
}

} // namespace armci::scale
