// Walk: visits the segments of a shape, innermost level fastest, as pairs of places.
// A place is an address, or an offset where one side has no address here.
#pragma once

#include "strided/shape.hpp"

#include <cstddef>

namespace armci::strided {

// Calls visit(source, target) for each segment.
template <class Source, class Destination, class Visit>
void walk(const Shape& shape, Source source, Destination target, Visit visit)
{
    if (shape.levels == 0) {
        visit(source, target);
        return;
    }
    const Level inner = shape.level[0];
    std::array<std::int64_t, most_levels> done{};
    for (;;) {
        Source from = source;
        Destination to = target;
        for (std::int64_t i = 0; i < inner.count; ++i, from += inner.source_stride, to += inner.target_stride)
            visit(from, to);

        std::size_t next = 1; // the level that advances; those below it start again
        for (; next < static_cast<std::size_t>(shape.levels); ++next) {
            const Level& level = shape.level[next];
            source += level.source_stride;
            target += level.target_stride;
            if (++done[next] < level.count) break;
            source -= level.source_stride * level.count;
            target -= level.target_stride * level.count;
            done[next] = 0;
        }
        if (next >= static_cast<std::size_t>(shape.levels)) return;
    }
}

} // namespace armci::strided
