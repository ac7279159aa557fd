#include "gmr/locate.hpp"
#include "iov/conflict_tree.hpp"
#include "iov/methods.hpp"
#include "iov/transfer.hpp"

#include <algorithm>
#include <vector>

namespace armci::iov {
namespace {

using gmr::locked::Turn;

// Segment after segment.
void one_after_another(const Request& request, Turn& turn)
{
    each_segment(request, [&](std::byte* remote, const std::byte* local, std::uint64_t bytes) {
        const gmr::Target target = gmr::locate(request.call, request.process, remote, bytes, gmr::Use::plain);
        turn.add(target, *request.accumulation, local, remote, bytes);
        return true;
    });
}

// How many of the first segments can be got before any is put: they overlap nowhere and are not too much.
int count_together(const Descriptor& segments)
{
    const auto bytes = static_cast<std::uint64_t>(segments.bytes);
    const auto most = std::min(static_cast<std::uint64_t>(segments.ptr_array_len),
                               std::max<std::uint64_t>(1, Turn::most_bytes / bytes));
    ConflictTree tree(most);
    int count = 0;
    for (; count < static_cast<int>(most); ++count) {
        const auto at = reinterpret_cast<std::uintptr_t>(segments.dst_ptr_array[count]);
        if (!tree.add(at, at + bytes))
            break;
    }
    return count;
}

// Gets all segments, adds, and puts them.
int add_together(const Request& request, const Descriptor& segments, Turn& turn)
{
    const auto bytes = static_cast<std::size_t>(segments.bytes);
    const auto count = static_cast<std::size_t>(segments.ptr_array_len);
    std::byte* const sums = turn.take(bytes * count);
    std::vector<void*> packed(count);
    for (std::size_t i = 0; i < count; ++i)
        packed[i] = sums + i * bytes;
    const Descriptor gets{segments.dst_ptr_array, packed.data(), segments.bytes, segments.ptr_array_len};
    if (const int error = transfer({request.call, Kind::get, {&gets, 1}, request.process, Turn::gets()}))
        return error;
    for (std::size_t i = 0; i < count; ++i)
        request.accumulation->add_unshared(static_cast<std::byte*>(packed[i]),
                                           static_cast<const std::byte*>(segments.src_ptr_array[i]), bytes);
    const Descriptor puts{packed.data(), segments.dst_ptr_array, segments.bytes, segments.ptr_array_len};
    return transfer({request.call, Kind::put, {&puts, 1}, request.process, Turn::puts()});
}

} // namespace

int under_lock(const Request& request, const Survey& survey, Turn& turn)
{
    if (survey.any_load_store || survey.longest > Turn::most_bytes) {
        one_after_another(request, turn);
        return 0;
    }
    for (Descriptor rest : request.descriptors) {
        while (rest.bytes > 0 && rest.ptr_array_len > 0) {
            Descriptor together = rest;
            together.ptr_array_len = count_together(rest);
            if (const int error = add_together(request, together, turn))
                return error;
            rest.src_ptr_array += together.ptr_array_len;
            rest.dst_ptr_array += together.ptr_array_len;
            rest.ptr_array_len -= together.ptr_array_len;
        }
    }
    return 0;
}

} // namespace armci::iov
