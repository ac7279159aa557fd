#include "strided/shape.hpp"

#include "armci/base/diagnostics.hpp"

namespace armci::strided {

std::int64_t Shape::segments() const
{
    if (empty())
        return 0;
    std::int64_t product = 1;
    for (int i = 0; i < levels; ++i)
        product *= level[static_cast<std::size_t>(i)].count;
    return product;
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

    for (int i = 0; i < levels; ++i) {
        if (count[i + 1] == 1)
            continue;
        const Level next{count[i + 1], source_stride[i], target_stride[i]};
        if (shape.levels == 0) {
            if (next.source_stride == shape.segment && next.target_stride == shape.segment) {
                shape.segment *= next.count;
                continue;
            }
        } else {
            Level& below = shape.level[static_cast<std::size_t>(shape.levels - 1)];
            if (next.source_stride == below.source_stride * below.count &&
                next.target_stride == below.target_stride * below.count) {
                below.count *= next.count;
                continue;
            }
        }
        shape.level[static_cast<std::size_t>(shape.levels++)] = next;
    }
    return 0;
}

template int make_shape(const char*, const int*, const int*, const int*, int, Shape&);
template int make_shape(const char*, const int*, const std::int64_t*, const int*, int, Shape&);
template int make_shape(const char*, const std::int64_t*, const int*, const int*, int, Shape&);

} // namespace armci::strided
