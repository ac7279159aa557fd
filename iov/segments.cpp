#include "iov/segments.hpp"

#include "armci/base/diagnostics.hpp"
#include "gmr/locate.hpp"
#include "gmr/network/window.hpp"
#include "iov/conflict_tree.hpp"

#include <algorithm>

namespace armci::iov {
namespace {

// Returns whether one operation may reach this and other memory of its window. A target of messages has no
// window.
bool can_join_attached(const gmr::Target& target)
{
    return target.window == nullptr || target.window->can_join_attached();
}

// Adds one segment to the survey.
void note(Survey& survey, const gmr::Target& target, const std::byte* address, std::uint64_t bytes)
{
    const bool first = survey.segments++ == 0;
    survey.ascending = false; // not looked at
    survey.bytes += bytes;
    survey.longest = std::max(survey.longest, bytes);
    survey.at_hand = survey.at_hand && target.local == address;
    survey.any_load_store = survey.any_load_store || target.use_load_store();
    survey.one_window =
        survey.one_window && !target.use_load_store() && (first || target.window == survey.lowest.window);
    if (!survey.one_window)
        return;
    survey.one_type = survey.one_type && (first || can_join_attached(target));
    if (first) {
        survey.lowest = target;
        survey.lowest_address = address;
        survey.extent = bytes;
        return;
    }
    const std::uint64_t end = survey.lowest.displacement + survey.extent;
    if (target.displacement < survey.lowest.displacement) {
        survey.lowest = target;
        survey.lowest_address = address;
    }
    survey.extent = std::max(end, target.displacement + bytes) - survey.lowest.displacement;
}

} // namespace

int check_descriptors(const Request& request)
{
    for (const Descriptor& descriptor : request.descriptors) {
        if (descriptor.bytes < 0 || descriptor.ptr_array_len < 0)
            return diag::reject(request.call,
                                "a descriptor has %d segments of %d bytes; neither must be negative",
                                descriptor.ptr_array_len, descriptor.bytes);
        if (descriptor.bytes == 0 || descriptor.ptr_array_len == 0)
            continue;
        if (descriptor.src_ptr_array == nullptr || descriptor.dst_ptr_array == nullptr)
            return diag::reject(request.call, "an address array is NULL; both must have %d entries",
                                descriptor.ptr_array_len);
    }
    return 0;
}

namespace {

int check_accumulated(const Request& request, std::uint64_t bytes)
{
    if (request.accumulation == nullptr)
        return 0;
    return request.accumulation->check_size(request.call, static_cast<std::int64_t>(bytes));
}

// What the addresses tell by themselves; false where there are fewer than two. `sizes`: or-ed together.
bool look_at_addresses(const Request& request, Survey& survey, std::uint64_t& sizes)
{
    std::uintptr_t first = UINTPTR_MAX;
    std::uintptr_t last = 0;
    each_segment(request, [&](const std::byte* remote, const std::byte*, std::uint64_t bytes) {
        const auto at = reinterpret_cast<std::uintptr_t>(remote);
        survey.ascending = survey.ascending && at >= last;
        sizes |= bytes;
        first = std::min(first, at);
        last = std::max({last, at, at + bytes}); // an end that wraps around must not hide
        survey.longest = std::max(survey.longest, bytes);
        survey.bytes += bytes;
        ++survey.segments;
        return true;
    });
    survey.lowest_address = reinterpret_cast<const std::byte*>(first);
    survey.extent = last - first;
    return survey.segments > 1 && first < last;
}

// Finds all that lies between the segments in one region that load and store reach.
bool find_near(const Request& request, Survey& survey)
{
    if (!gmr::peers.hold(request.process, survey.lowest_address, survey.extent))
        return false;
    survey.lowest =
        gmr::locate(request.call, request.process, survey.lowest_address, survey.extent, request.use());
    survey.any_load_store = true;
    survey.one_window = false;
    return true;
}

// Finds it in one window.
bool find_in_one_window(const Request& request, Survey& survey)
{
    survey.lowest =
        gmr::locate_in_one_window(request.process, survey.lowest_address, survey.extent, request.use());
    survey.at_hand = false;
    survey.solid = true;
    return !survey.lowest.is_miss();
}

// One look-up for all, where one region on my node or one window holds all that lies between them; false
// otherwise, with nothing reported.
bool look_once(const Request& request, Survey& survey, int& error)
{
    const gmr::Peer* const peer = gmr::peers.of(request.process);
    const bool near =
        peer != nullptr && peer->span != 0 && (request.use() != gmr::Use::atomic || gmr::peers.cpu_atomics);
    std::uint64_t sizes = 0;
    if (!look_at_addresses(request, survey, sizes) ||
        !(near ? find_near(request, survey) : find_in_one_window(request, survey))) {
        survey = {};
        return false;
    }
    if (request.accumulation == nullptr || request.accumulation->takes_sizes(sizes))
        return true;
    each_segment(request, [&](const std::byte*, const std::byte*, std::uint64_t bytes) {
        error = check_accumulated(request, bytes);
        return error == 0;
    });
    return true;
}

} // namespace

int look_at_all(const Request& request, Survey& survey)
{
    int error = check_descriptors(request);
    if (error != 0 || look_once(request, survey, error))
        return error;
    each_segment(request, [&](const std::byte* remote, const std::byte*, std::uint64_t bytes) {
        const gmr::Target target = gmr::locate(request.call, request.process, remote, bytes, request.use());
        error = target.error != 0 ? target.error : check_accumulated(request, bytes);
        if (error == 0)
            note(survey, target, remote, bytes);
        return error == 0;
    });
    return error;
}

bool is_on_itself(const Request& request, const Survey& survey)
{
    if (!survey.lowest.on_my_node)
        return false;
    std::uintptr_t first = UINTPTR_MAX;
    std::uintptr_t last = 0;
    each_segment(request, [&](const std::byte*, const std::byte* local, std::uint64_t bytes) {
        const auto at = reinterpret_cast<std::uintptr_t>(local);
        first = std::min(first, at);
        last = std::max(last, at + bytes);
        return true;
    });
    return gmr::is_on_itself(survey.lowest, survey.lowest_address, survey.extent,
                             reinterpret_cast<const void*>(first), last - first);
}

bool overlap(const Request& request, const Survey& survey, std::size_t& which)
{
    which = 0;
    if (survey.ascending && request.kind != Kind::get)
        return false;
    ConflictTree tree(survey.segments);
    bool found = false;
    each_segment(request, [&](const std::byte* remote, const std::byte* local, std::uint64_t bytes) {
        const auto at = reinterpret_cast<std::uintptr_t>(request.kind == Kind::get ? local : remote);
        found = !tree.add(at, at + bytes);
        which += found ? 0 : 1;
        return !found;
    });
    return found;
}

} // namespace armci::iov
