#include "tools/selftest/answers.hpp"

#include "armci/include/armci.h"
#include "armci/include/message.h"
#include "tools/selftest/wrong.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

namespace armci::tools {
namespace {

// What `writer` puts into element i in some round.
double element(int writer, int round, std::size_t i)
{
    return static_cast<double>(
        (static_cast<std::size_t>(writer) * 131 + static_cast<std::size_t>(round) * 17 + i) % 1000003);
}

std::vector<double> pattern(int writer, int round, std::size_t count)
{
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = element(writer, round, i);
    return values;
}

void compare(const char* what, const Partner& partner, const std::vector<double>& found,
             const std::vector<double>& wanted)
{
    const auto [bad, good] = std::mismatch(found.begin(), found.end(), wanted.begin());
    if (bad != found.end())
        wrong("%s, process %d (%s): element %td of %zu is %g instead of %g", what, partner.process,
              partner.where, bad - found.begin(), found.size(), *bad, *good);
}

} // namespace

void check_contiguous(const Partner& partner)
{
    double twice = 2;
    int round = 0;
    for (const std::size_t count : {1u, 2u, 7u, 64u, 1000u, 8192u}) {
        std::vector<double> mine = pattern(armci_msg_me(), ++round, count);
        const int bytes = static_cast<int>(count * sizeof(double));
        ARMCI_Put(mine.data(), partner.area, bytes, partner.process);
        std::vector<double> back(count);
        ARMCI_Get(partner.area, back.data(), bytes, partner.process);
        compare("put, then get", partner, back, mine);
        ARMCI_Acc(ARMCI_ACC_DBL, &twice, mine.data(), partner.area, bytes, partner.process);
        ARMCI_Get(partner.area, back.data(), bytes, partner.process);
        for (double& value : mine)
            value *= 3;
        compare("accumulate, then get", partner, back, mine);
    }
}

void check_patches(const Partner& partner)
{
    constexpr int rows = 50;
    constexpr int columns = 30;
    constexpr int row_length = 100; // elements of the target's array
    std::vector<double> mine = pattern(armci_msg_me(), 99, rows * columns);
    int here_stride = columns * static_cast<int>(sizeof(double));
    int there_stride = row_length * static_cast<int>(sizeof(double));
    int count[2] = {here_stride, rows};
    double one = 1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPutS(mine.data(), &here_stride, partner.area, &there_stride, count, 1, partner.process, &handle);
    ARMCI_Wait(&handle);
    ARMCI_AccS(ARMCI_ACC_DBL, &one, mine.data(), &here_stride, partner.area, &there_stride, count, 1,
               partner.process);
    std::vector<double> back(mine.size());
    std::array<void*, rows> from{};
    std::array<void*, rows> to{};
    for (std::size_t row = 0; row < rows; ++row) {
        from[row] = partner.area + row * row_length;
        to[row] = back.data() + row * columns;
    }
    armci_giov_t segments{from.data(), to.data(), here_stride, rows};
    ARMCI_GetV(&segments, 1, partner.process);
    for (double& value : mine)
        value *= 2;
    compare("strided put and accumulate, then vector get", partner, back, mine);
}

void check_order(const Partner& partner)
{
    constexpr int rounds = 300;
    std::vector<double> block(512);
    double one = 1;
    for (int round = 0; round < rounds; ++round) {
        std::fill(block.begin(), block.end(), round);
        ARMCI_Put(block.data(), partner.area, 4096, partner.process);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, partner.area + 17, 8, partner.process);
        double seen = 0;
        ARMCI_Get(partner.area + 17, &seen, 8, partner.process);
        if (seen != round + 1)
            return wrong("order, process %d (%s): %g instead of %d after a put and an accumulate",
                         partner.process, partner.where, seen, round + 1);
    }
}

void check_notify(const Partner& partner, int from, const double* my_area)
{
    constexpr int rounds = 50;
    for (int round = 1; round <= rounds; ++round) {
        double value = armci_msg_me() * 1000 + round;
        ARMCI_Put(&value, partner.area, 8, partner.process);
        armci_notify(partner.process);
        armci_notify_wait(from, nullptr);
        const double seen = *static_cast<const volatile double*>(my_area);
        if (seen != from * 1000 + round)
            return wrong("notify from process %d (%s): %g instead of %d", from, partner.where, seen,
                         from * 1000 + round);
        armci_notify(from); // I have looked: the next value may come
        armci_notify_wait(partner.process, nullptr);
    }
}

void check_counter(const Job& job, int owner)
{
    constexpr long draws = 100;
    auto* const counter = reinterpret_cast<long*>(job.common(owner));
    double* const sum = job.common(owner) + 1;
    if (job.me() == owner)
        std::memset(job.common(owner), 0, 2 * sizeof(double));
    ARMCI_Barrier();
    std::vector<long> drawn;
    double one = 1;
    for (long i = 0; i < draws; ++i) {
        long number = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, counter, 1, owner);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, sum, 8, owner);
        drawn.push_back(number);
    }
    if (!std::is_sorted(drawn.begin(), drawn.end()))
        wrong("a counter of process %d went backwards", owner);
    const long all = draws * job.processes();
    std::vector<int> times(static_cast<std::size_t>(all));
    for (const long number : drawn)
        if (number >= 0 && number < all)
            ++times[static_cast<std::size_t>(number)];
    armci_msg_igop(times.data(), static_cast<int>(times.size()), const_cast<char*>("+"));
    ARMCI_Barrier();
    if (job.me() != owner)
        return;
    if (std::any_of(times.begin(), times.end(), [](int count) { return count != 1; }))
        wrong("fetch-and-add on process %d: some number of %ld came twice or never", owner, all);
    if (*sum != static_cast<double>(all))
        wrong("accumulates of all on process %d: the sum is %g instead of %ld", owner, *sum, all);
}

void check_mutex(const Job& job, int owner)
{
    constexpr int turns = 25;
    double* const value = job.common(owner);
    if (job.me() == owner)
        *value = 0;
    ARMCI_Barrier();
    for (int turn = 0; turn < turns; ++turn) {
        ARMCI_Lock(0, owner);
        double seen = 0;
        ARMCI_Get(value, &seen, 8, owner);
        seen += 1;
        ARMCI_Put(&seen, value, 8, owner);
        ARMCI_Unlock(0, owner);
    }
    ARMCI_Barrier();
    if (job.me() == owner && *value != turns * job.processes())
        wrong("a mutex of process %d let two in at once: %g turns are left of %d", owner, *value,
              turns * job.processes());
}

} // namespace armci::tools
