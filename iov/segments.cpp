#include "iov/segments.hpp"

#include "armci/base/diagnostics.hpp"
#include "iov/conflict_tree.hpp"

#include <algorithm>

namespace armci::iov {
namespace {

// Adds one segment to the survey.
void note(Survey& survey, const gmr::Target& target, const std::byte* address, std::uint64_t bytes)
{
    const bool first = survey.segments++ == 0;
    survey.longest = std::max(survey.longest, bytes);
    survey.at_hand = survey.at_hand && target.local == address;
    survey.one_window =
        survey.one_window && !target.use_load_store() && (first || target.window == survey.lowest.window);
    if (!survey.one_window)
        return;
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

int look_at_all(const Request& request, Survey& survey)
{
    const char* const call = request.call;
    for (const Descriptor& descriptor : request.descriptors) {
        if (descriptor.bytes < 0 || descriptor.ptr_array_len < 0)
            return diag::reject(call, "a descriptor has %d segments of %d bytes; neither must be negative",
                                descriptor.ptr_array_len, descriptor.bytes);
        if (descriptor.bytes == 0 || descriptor.ptr_array_len == 0)
            continue;
        if (descriptor.src_ptr_array == nullptr || descriptor.dst_ptr_array == nullptr)
            return diag::reject(call, "an address array is NULL; both must have %d entries",
                                descriptor.ptr_array_len);
        const auto bytes = static_cast<std::uint64_t>(descriptor.bytes);
        for (int i = 0; i < descriptor.ptr_array_len; ++i) {
            const void* const address = request.remote(descriptor)[i];
            const gmr::Target target = gmr::locate(call, request.process, address, bytes, request.use());
            if (target.error != 0)
                return target.error;
            if (request.accumulation != nullptr)
                if (const int error = request.accumulation->check_segment(call, address, descriptor.bytes))
                    return error;
            note(survey, target, static_cast<const std::byte*>(address), bytes);
        }
        survey.bytes += bytes * static_cast<std::uint64_t>(descriptor.ptr_array_len);
    }
    return 0;
}

bool overlap(const Request& request, const Survey& survey, std::size_t& which)
{
    ConflictTree tree(survey.segments);
    bool found = false;
    which = 0;
    each_segment(request, [&](const std::byte* remote, const std::byte* local, std::uint64_t bytes) {
        const auto at = reinterpret_cast<std::uintptr_t>(request.kind == Kind::get ? local : remote);
        found = !tree.add(at, at + bytes);
        which += found ? 0 : 1;
        return !found;
    });
    return found;
}

} // namespace armci::iov
