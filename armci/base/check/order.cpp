#include "armci/base/check/order.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace armci::check {

Order::Order(int processes, std::vector<Synchronisation> all) : known_(static_cast<std::size_t>(processes))
{
    std::sort(all.begin(), all.end(),
              [](const Synchronisation& a, const Synchronisation& b) { return a.ticket < b.ticket; });
    const Clock nothing(known_.size());
    for (auto& of_process : known_)
        of_process.push_back(nothing);
    std::unordered_map<std::uint64_t, Clock> handed_on;
    for (const Synchronisation& one : all) {
        const auto process = static_cast<std::size_t>(one.process);
        Clock clock = known_[process].back();
        // All that I did so far is known to who acquires what I release now.
        clock[process] = static_cast<std::uint32_t>(known_[process].size());
        Clock& object = handed_on.try_emplace(one.object, nothing).first->second;
        Clock& learns = one.acquires != 0 ? clock : object;
        const Clock& teaches = one.acquires != 0 ? object : clock;
        for (std::size_t i = 0; i < learns.size(); ++i)
            learns[i] = std::max(learns[i], teaches[i]);
        known_[process].push_back(std::move(clock));
    }
}

std::uint32_t Order::known(int a, int b, std::uint32_t b_count) const
{
    const auto& of_b = known_[static_cast<std::size_t>(b)];
    const std::size_t when = std::min<std::size_t>(b_count, of_b.size() - 1);
    return of_b[when][static_cast<std::size_t>(a)];
}

bool Order::before(int a, std::uint32_t a_count, int b, std::uint32_t b_count) const
{
    return known(a, b, b_count) > a_count;
}

} // namespace armci::check
