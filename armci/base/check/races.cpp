#include "armci/base/check/races.hpp"

#include <algorithm>
#include <compare>
#include <cstdio>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace armci::check {
namespace {

bool conflict(Access a, Access b)
{
    return a != b || a == Access::write;
}

// Touches that reach beyond where the next begins. Those of one origin, access and call lie together by their
// origin's synchronisations: what is ordered before a touch, what is not, and what is ordered after it follow
// one another, so thousands of touches of a counter cost no more than a few.
class Open {
public:
    struct Alike {
        int origin;
        Access access;
        CallName call;
        // NOLINTNEXTLINE(modernize-use-nullptr): a false finding, of a defaulted comparison
        auto operator<=>(const Alike&) const = default;
    };
    using Touches = std::multimap<std::uint32_t, const Touch*>;

    void add(const Touch& touch)
    {
        const auto group = groups_.try_emplace({touch.origin, touch.access, touch.call}).first;
        ends_.push({touch.end, group, group->second.emplace(touch.synchronisations, &touch)});
    }
    void close(std::uint64_t begin)
    {
        for (; !ends_.empty() && ends_.top().end <= begin; ends_.pop()) {
            const End& last = ends_.top();
            last.group->second.erase(last.touch);
            if (last.group->second.empty())
                groups_.erase(last.group);
        }
    }
    const std::map<Alike, Touches>& groups() const { return groups_; }

private:
    struct End {
        std::uint64_t end;
        std::map<Alike, Touches>::iterator group;
        Touches::iterator touch;
        bool operator<(const End& other) const { return end > other.end; } // the first end is on top
    };
    std::map<Alike, Touches> groups_;
    std::priority_queue<End> ends_;
};

// One of `others`, all of a process, that nothing orders with the touch; or null.
const Touch* unordered(const Touch& touch, int origin, const Open::Touches& others, const Order& order)
{
    const auto other = others.lower_bound(order.known(origin, touch.origin, touch.synchronisations));
    if (other == others.end() || order.before(touch.origin, touch.synchronisations, origin, other->first))
        return nullptr;
    return other->second;
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
    Open open;
    for (const Touch& touch : touches) {
        open.close(touch.begin);
        for (const auto& [alike, others] : open.groups()) {
            if (races.size() == most)
                return races;
            if (alike.origin == touch.origin || !conflict(alike.access, touch.access))
                continue;
            const bool swapped = touch.origin < alike.origin;
            const auto pair = swapped ? std::tuple(touch.origin, alike.origin, touch.call, alike.call)
                                      : std::tuple(alike.origin, touch.origin, alike.call, touch.call);
            if (seen.contains(pair))
                continue;
            const Touch* const other = unordered(touch, alike.origin, others, order);
            if (other == nullptr)
                continue;
            seen.insert(pair);
            races.push_back({swapped ? touch : *other, swapped ? *other : touch, touch.begin,
                             std::min(touch.end, other->end)});
        }
        open.add(touch);
    }
    return races;
}

} // namespace armci::check
