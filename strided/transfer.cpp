#include "strided/transfer.hpp"

#include "armci/base/stats.hpp"
#include "gmr/accumulate.hpp"
#include "gmr/target.hpp"
#include "strided/node_copy.hpp"
#include "strided/shape.hpp"
#include "strided/walk.hpp"

#include <array>

namespace armci::strided {
namespace {

int shape_of(const Request& request, Shape& shape)
{
    return make_shape(request.call, request.source_stride, request.target_stride, request.count, request.levels, shape);
}

// Finds all bytes that the remote side of the shape spans. Gives the address of the first segment.
template <std::int64_t Level::*Stride>
gmr::Target locate_reach(const Request& request, const Shape& shape, void* start)
{
    const Reach span = reach<Stride>(shape);
    // In integers: a wrong shape may begin where no pointer can point.
    const auto first = reinterpret_cast<std::uintptr_t>(start) + static_cast<std::uintptr_t>(span.below);
    gmr::Target target =
        gmr::locate(request.call, request.process, reinterpret_cast<const void*>(first), span.extent());
    if (target.local != nullptr) target.local -= span.below;
    return target;
}

// The strides of a contiguous buffer that takes a shape of these counts.
std::array<std::int64_t, most_levels> packed_strides(int levels, const int* count)
{
    std::array<std::int64_t, most_levels> stride{};
    if (levels < 0 || levels > most_levels || count == nullptr) return stride; // make_shape reports it
    std::int64_t bytes = count[0];
    for (int i = 0; i < levels; ++i) {
        stride[static_cast<std::size_t>(i)] = bytes;
        bytes *= count[i + 1];
    }
    return stride;
}

} // namespace

int put_shape(const Request& request)
{
    Shape shape;
    if (const int error = shape_of(request, shape)) [[unlikely]]
        return error;
    if (shape.empty()) return 0;
    const gmr::Target target = locate_reach<&Level::target_stride>(request, shape, request.target);
    if (target.error != 0) [[unlikely]]
        return target.error;
    copy(shape, static_cast<const std::byte*>(request.source), target.local);
    if (stats::enabled) stats::count(stats::Kind::put_strided, shape.bytes());
    return 0;
}

int get_shape(const Request& request)
{
    Shape shape;
    if (const int error = shape_of(request, shape)) [[unlikely]]
        return error;
    if (shape.empty()) return 0;
    const gmr::Target target = locate_reach<&Level::source_stride>(request, shape, request.source);
    if (target.error != 0) [[unlikely]]
        return target.error;
    copy(shape, target.local, static_cast<std::byte*>(request.target));
    if (stats::enabled) stats::count(stats::Kind::get_strided, shape.bytes());
    return 0;
}

int accumulate(const Request& request, int type, const void* scale)
{
    gmr::Accumulation accumulation;
    if (const int error = gmr::Accumulation::prepare(request.call, type, scale, accumulation)) return error;
    Shape shape;
    if (const int error = shape_of(request, shape)) return error;
    if (shape.empty()) return 0;
    if (const int error = accumulation.check_segment(request.call, request.target, request.count[0])) return error;
    for (int i = 0; i < shape.levels; ++i)
        if (const int error =
                accumulation.check_stride(request.call, shape.level[static_cast<std::size_t>(i)].target_stride))
            return error;
    const gmr::Target target = locate_reach<&Level::target_stride>(request, shape, request.target);
    if (target.error != 0) return target.error;
    gmr::AccumulateLock lock;
    walk(shape, static_cast<const std::byte*>(request.source), target.local,
         [&](const std::byte* from, std::byte* to) {
             accumulation.add(lock, to, from, static_cast<std::size_t>(shape.segment));
         });
    if (stats::enabled) stats::count(stats::Kind::accumulate_strided, shape.bytes());
    return 0;
}

int pack(const char* call, const void* area, int levels, const int* stride, const int* count, char* buffer)
{
    Shape shape;
    const auto packed = packed_strides(levels, count);
    if (const int error = make_shape(call, stride, packed.data(), count, levels, shape)) return error;
    if (!shape.empty()) copy(shape, static_cast<const std::byte*>(area), reinterpret_cast<std::byte*>(buffer));
    return 0;
}

int unpack(const char* call, void* area, int levels, const int* stride, const int* count, const char* buffer)
{
    Shape shape;
    const auto packed = packed_strides(levels, count);
    if (const int error = make_shape(call, packed.data(), stride, count, levels, shape)) return error;
    if (!shape.empty()) copy(shape, reinterpret_cast<const std::byte*>(buffer), static_cast<std::byte*>(area));
    return 0;
}

} // namespace armci::strided
