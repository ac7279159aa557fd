#include "strided/node_copy.hpp"

#include "strided/rows.hpp"
#include "strided/walk.hpp"

namespace armci::strided {

int copy_rows_of_any_size(std::int64_t segment, std::int64_t count, const std::byte* source,
                          std::int64_t source_stride, std::byte* target, std::int64_t target_stride)
{
    for (; count > 0; --count, source += source_stride, target += target_stride)
        gmr::kernels::copy(target, source, static_cast<std::size_t>(segment));
    return 0;
}

void copy(const Shape& shape, const std::byte* source, std::byte* target)
{
    const Level run = shape.run();
    walk_runs(shape, source, target, [&](const std::byte* from, std::byte* to) {
        copy_rows(shape.segment, run.count, from, run.source_stride, to, run.target_stride);
    });
}

} // namespace armci::strided
