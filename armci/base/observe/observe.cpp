#include "armci/base/observe/observe.hpp"

#include "armci/base/observe/statistics.hpp"
#include "armci/base/observe/trace.hpp"

#include <array>
#include <chrono>

namespace armci::observe {

bool active = false;

const char* name(Kind kind)
{
    static constexpr std::array<const char*, kinds> names = {
        "put",         "get",        "accumulate", "strided put", "strided get",
        "strided acc", "vector put", "vector get", "vector acc",  "rmw"};
    return names[static_cast<std::size_t>(kind)];
}

const char* name(Wait wait)
{
    static constexpr std::array<const char*, waits> names = {"barrier", "fence",   "handle",    "lock",
                                                             "notify",  "message", "allocation"};
    return names[static_cast<std::size_t>(wait)];
}

Nanoseconds now()
{
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void Operation::saw(std::int64_t bytes, bool load_store) const
{
    const Nanoseconds ended = now();
    if (statistics::enabled())
        statistics::count(*this, bytes, load_store, ended - began);
    if (trace::enabled())
        trace::record({call, began, ended - began, bytes, process, load_store});
}

void Waiting::saw() const
{
    const Nanoseconds ended = now();
    if (statistics::enabled())
        statistics::count(wait_, ended - began_);
    if (trace::enabled())
        trace::record({call_, began_, ended - began_, -1, -1, false});
}

} // namespace armci::observe
