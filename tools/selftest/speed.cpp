#include "tools/selftest/speed.hpp"

#include "armci/include/armci.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <vector>

namespace armci::tools {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The median of batches, in seconds for one.
double time_of(const std::function<void()>& operation)
{
    constexpr double batch_seconds = 0.002;
    operation();
    int count = 1;
    for (;; count *= 2) {
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i)
            operation();
        if (seconds_since(begin) >= batch_seconds)
            break;
    }
    std::array<double, 9> batches{};
    for (double& batch : batches) {
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i)
            operation();
        batch = seconds_since(begin) / count;
    }
    std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
    return batches[batches.size() / 2];
}

} // namespace

Speeds measure(const Partner& partner)
{
    constexpr int small = 8;
    constexpr int large = 1 << 20;
    std::vector<double> buffer(large / sizeof(double));
    long ignored = 0;
    int here_stride = 512;
    int there_stride = 1024;
    int count[2] = {512, large / 512 / 2};
    Speeds speeds;
    const auto put = [&](int bytes) {
        ARMCI_Put(buffer.data(), partner.area, bytes, partner.process);
        ARMCI_Fence(partner.process);
    };
    const auto get = [&](int bytes) { ARMCI_Get(partner.area, buffer.data(), bytes, partner.process); };
    speeds.put = time_of([&] { put(small); });
    speeds.get = time_of([&] { get(small); });
    speeds.fetch_and_add =
        time_of([&] { ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ignored, partner.area, 1, partner.process); });
    speeds.put_rate = large / time_of([&] { put(large); });
    speeds.get_rate = large / time_of([&] { get(large); });
    speeds.patch_rate =
        large / 2 / time_of([&] {
            ARMCI_GetS(partner.area, &there_stride, buffer.data(), &here_stride, count, 1, partner.process);
        });
    return speeds;
}

double answer_of_a_busy_process(const Job& job)
{
    constexpr double busy_seconds = 0.2;
    const int busy = job.processes() - 1;
    double waited = -1;
    ARMCI_Barrier();
    if (job.me() == busy) {
        const auto begin = Clock::now();
        while (seconds_since(begin) < busy_seconds) {
        }
    } else if (job.me() == 0) {
        double seen = 0;
        const auto begin = Clock::now();
        while (seconds_since(begin) < busy_seconds / 10) { // until it is at work
        }
        const auto asked = Clock::now();
        ARMCI_Get(job.common(busy), &seen, 8, busy);
        waited = seconds_since(asked);
    }
    ARMCI_Barrier();
    return waited;
}

} // namespace armci::tools
