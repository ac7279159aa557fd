#include "tests/oracle/messages.hpp"

#include <armci.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace oracle {

namespace {

// Calls work(T()) for the type of an armci_type_e.
template <class Work>
auto with_type(int type, Work work)
{
    switch (type) {
    case ARMCI_INT:
        return work(int());
    case ARMCI_LONG:
        return work(long());
    case ARMCI_LONG_LONG:
        return work(static_cast<long long>(0));
    case ARMCI_FLOAT:
        return work(float());
    default:
        return work(double());
    }
}

template <class T>
T combined(std::string_view op, T a, T b)
{
    if (op == "+")
        return a + b;
    if (op == "*")
        return a * b;
    if (op == "min")
        return std::min(a, b);
    if (op == "max")
        return std::max(a, b);
    if (op == "absmin")
        return std::min<T>(std::abs(a), std::abs(b));
    if (op == "absmax")
        return std::max<T>(std::abs(a), std::abs(b));
    const long x = static_cast<long>(a), y = static_cast<long>(b);
    if (op == "&&" || op == "land")
        return static_cast<T>(x != 0 && y != 0);
    if (op == "||" || op == "lor")
        return static_cast<T>(x != 0 || y != 0);
    if (op == "&" || op == "band")
        return static_cast<T>(x & y);
    return static_cast<T>(x | y);
}

// Also of one value alone.
template <class T>
T finished(std::string_view op, T value)
{
    if (op == "absmin" || op == "absmax")
        return std::abs(value);
    if (op == "&&" || op == "land" || op == "||" || op == "lor")
        return static_cast<T>(value != 0);
    return value;
}

template <class T>
T element(const Bytes& all, long i)
{
    T value;
    std::memcpy(&value, all.data() + i * static_cast<long>(sizeof value), sizeof value);
    return value;
}

Bytes reduced(const Step& step, const List& members)
{
    Bytes sum = contribution(step, static_cast<int>(members[0]));
    const std::string_view op = operators[step.op];
    with_type(static_cast<int>(step.value), [&](auto zero) {
        using T = decltype(zero);
        for (std::size_t m = 1; m < members.size(); ++m) {
            const Bytes more = contribution(step, static_cast<int>(members[m]));
            for (long i = 0; i < step.bytes; ++i) {
                const T value = combined(op, element<T>(sum, i), element<T>(more, i));
                std::memcpy(sum.data() + i * static_cast<long>(sizeof value), &value, sizeof value);
            }
        }
        for (long i = 0; i < step.bytes; ++i) {
            const T value = finished(op, element<T>(sum, i));
            std::memcpy(sum.data() + i * static_cast<long>(sizeof value), &value, sizeof value);
        }
        return 0;
    });
    return sum;
}

Bytes selected(const Step& step, const List& members, int me)
{
    Bytes best = contribution(step, me);
    bool any = false;
    with_type(static_cast<int>(step.value), [&](auto zero) {
        using T = decltype(zero);
        for (const long m : members) {
            if (!competes(step, static_cast<int>(m)))
                continue;
            const Bytes other = contribution(step, static_cast<int>(m));
            const T a = element<T>(other, 0), b = element<T>(best, 0);
            if (!any || (std::string_view(operators[step.op]) == "min" ? a < b : a > b))
                best = other;
            any = true;
        }
        return 0;
    });
    return best;
}

} // namespace

long message_element(int type)
{
    return with_type(type, [](auto zero) { return static_cast<long>(sizeof zero); });
}

List scope_members(int scope, const List& group, const std::vector<int>& nodes, int me)
{
    List members;
    for (const long process : group) {
        const auto same_node = [&](long other) {
            return nodes[static_cast<std::size_t>(other)] == nodes[static_cast<std::size_t>(process)];
        };
        if (scope == SCOPE_ALL || (scope == SCOPE_NODE && same_node(me)) ||
            (scope == SCOPE_MASTERS && std::none_of(members.begin(), members.end(), same_node)))
            members.push_back(process);
    }
    return std::find(members.begin(), members.end(), me) == members.end() ? List() : members;
}

Bytes contribution(const Step& step, int process)
{
    const std::uint64_t seed = mix(step.data + 1000u * static_cast<unsigned>(process) + 7);
    if (step.verb == Verb::broadcast)
        return noise(step.bytes, seed);
    const long bytes = message_element(static_cast<int>(step.value));
    Bytes all = noise(step.verb == Verb::select ? step.bytes : step.bytes * bytes, seed);
    const bool multiplies = std::string_view(operators[step.op]) == "*";
    with_type(static_cast<int>(step.value), [&](auto zero) {
        for (long i = 0; i < (step.verb == Verb::select ? 1 : step.bytes); ++i) {
            const std::uint64_t random = mix(seed + static_cast<std::uint64_t>(i));
            constexpr int factors[] = {1, -1, 2, 1};
            const auto value = static_cast<decltype(zero)>(multiplies ? factors[random % 4]
                                                                      : static_cast<int>(random % 200) - 60);
            std::memcpy(all.data() + i * bytes, &value, sizeof value);
        }
        return 0;
    });
    return all;
}

bool competes(const Step& step, int process)
{
    return mix(step.data + 31u * static_cast<unsigned>(process)) % 3 != 0;
}

int root_of(const Step& step, const List& members)
{
    return step.scope == SCOPE_ALL ? step.root : static_cast<int>(members[0]);
}

Bytes outcome(const Step& step, const List& members, int me)
{
    switch (step.verb) {
    case Verb::broadcast:
        return contribution(step, root_of(step, members));
    case Verb::select:
        return selected(step, members, me);
    default: {
        // armci_msg_reduce leaves the result at the lowest process only.
        const bool keeps = step.variant == 1 && me != *std::min_element(members.begin(), members.end());
        return keeps ? contribution(step, me) : reduced(step, members);
    }
    }
}

} // namespace oracle
