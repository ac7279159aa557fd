#include "armci/base/check/races.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

namespace armci::check {
namespace {

bool conflict(const Touch& a, const Touch& b)
{
    return a.origin != b.origin && !(a.access == b.access && a.access != Access::write);
}

bool ordered(const Touch& a, const Touch& b, const Order& order)
{
    return order.before(a.origin, a.synchronisations, b.origin, b.synchronisations) ||
           order.before(b.origin, b.synchronisations, a.origin, a.synchronisations);
}

} // namespace

CallName call_name(const char* call)
{
    CallName name{};
    std::snprintf(name.data(), name.size(), "%s", call);
    return name;
}

void join(std::vector<Touch>& touches)
{
    const auto alike = [](const Touch& touch) {
        return std::tie(touch.origin, touch.synchronisations, touch.access, touch.call);
    };
    std::sort(touches.begin(), touches.end(), [&](const Touch& a, const Touch& b) {
        return alike(a) != alike(b) ? alike(a) < alike(b)
                                    : std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::vector<Touch> joined;
    for (const Touch& touch : touches)
        if (!joined.empty() && alike(joined.back()) == alike(touch) && touch.begin <= joined.back().end)
            joined.back().end = std::max(joined.back().end, touch.end);
        else
            joined.push_back(touch);
    touches = std::move(joined);
}

std::vector<Race> find_races(std::vector<Touch> touches, const Order& order, std::size_t most)
{
    std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::vector<Race> races;
    std::set<std::tuple<int, int, CallName, CallName>> seen;
    std::vector<const Touch*> open; // that reach beyond where the next begins
    for (const Touch& touch : touches) {
        std::erase_if(open, [&](const Touch* one) { return one->end <= touch.begin; });
        for (const Touch* const other : open) {
            if (!conflict(*other, touch) || ordered(*other, touch, order))
                continue;
            const bool swapped = touch.origin < other->origin;
            const Touch& first = swapped ? touch : *other;
            const Touch& second = swapped ? *other : touch;
            if (races.size() < most &&
                seen.emplace(first.origin, second.origin, first.call, second.call).second)
                races.push_back({first, second, touch.begin, std::min(touch.end, other->end)});
        }
        open.push_back(&touch);
    }
    return races;
}

} // namespace armci::check
