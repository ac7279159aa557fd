#include "strided/shape.hpp"

#include "armci/base/diagnostics.hpp"

#include <utility>

namespace armci::strided {
namespace {

// A level above those of the shape, folded.
void add_level(Shape& shape, const Level& next)
{
    if (next.count == 1)
        return;
    if (shape.levels == 0) {
        if (next.source_stride == shape.segment && next.target_stride == shape.segment) {
            shape.segment *= next.count;
            return;
        }
    } else {
        Level& below = shape.level[static_cast<std::size_t>(shape.levels - 1)];
        if (next.source_stride == below.source_stride * below.count &&
            next.target_stride == below.target_stride * below.count) {
            below.count *= next.count;
            return;
        }
    }
    shape.level[static_cast<std::size_t>(shape.levels++)] = next;
}

} // namespace

std::int64_t Shape::segments() const
{
    if (empty())
        return 0;
    std::int64_t product = 1;
    for (int i = 0; i < levels; ++i)
        product *= level[static_cast<std::size_t>(i)].count;
    return product;
}

Shape packing(const Shape& shape)
{
    Shape result = shape;
    std::int64_t bytes = shape.segment;
    for (int i = 0; i < shape.levels; ++i) {
        Level& level = result.level[static_cast<std::size_t>(i)];
        level.target_stride = bytes;
        bytes *= level.count;
    }
    return result;
}

Shape gathering(const Shape& shape)
{
    Shape result;
    result.segment = shape.segment;
    std::int64_t bytes = shape.segment;
    for (int i = 0; i < shape.levels; ++i) {
        const Level& level = shape.level[static_cast<std::size_t>(i)];
        add_level(result, {level.count, level.target_stride, bytes});
        bytes *= level.count;
    }
    return result;
}

Shape reversed(const Shape& shape)
{
    Shape result = shape;
    for (int i = 0; i < shape.levels; ++i) {
        Level& level = result.level[static_cast<std::size_t>(i)];
        std::swap(level.source_stride, level.target_stride);
    }
    return result;
}

template <class SourceStride, class TargetStride>
int make_shape(const char* call, const SourceStride* source_stride, const TargetStride* target_stride,
               const int* count, int levels, Shape& shape)
{
    if (levels < 0 || levels > most_levels) [[unlikely]]
        return diag::reject(call, "stride_levels is %d; it must be 0 to %d", levels, most_levels);
    if (count == nullptr) [[unlikely]]
        return diag::reject(call, "count is NULL; it must have %d entries", levels + 1);
    if (levels > 0 && (source_stride == nullptr || target_stride == nullptr)) [[unlikely]]
        return diag::reject(call, "a stride array is NULL; with %d stride levels both must have %d entries",
                            levels, levels);
    bool nothing = false;
    for (int i = 0; i <= levels; ++i) {
        if (count[i] < 0) [[unlikely]]
            return diag::reject(call, "count[%d] is %d; it must not be negative", i, count[i]);
        nothing = nothing || count[i] == 0;
    }
    shape.levels = 0;
    shape.segment = nothing ? 0 : count[0];
    if (nothing)
        return 0;

    for (int i = 0; i < levels; ++i)
        add_level(shape, {count[i + 1], source_stride[i], target_stride[i]});
    return 0;
}

template int make_shape(const char*, const int*, const int*, const int*, int, Shape&);
template int make_shape(const char*, const int*, const std::int64_t*, const int*, int, Shape&);
template int make_shape(const char*, const std::int64_t*, const int*, const int*, int, Shape&);

} // namespace armci::strided
