// Walk: visits the segments of a shape, innermost level fastest, as pairs of places.
// A place is an address, or an offset where one side has no address here.
#pragma once

#include "strided/shape.hpp"

#include <cstddef>

namespace armci::strided {

// Calls visit(source, target) for the first segment of each run of the innermost level.
template <class Source, class Destination, class Visit>
void walk_runs(const Shape& shape, Source source, Destination target, Visit visit)
{
    std::array<std::int64_t, most_levels> done{};
    for (;;) {
        visit(source, target);
        int next = 1; // the level that advances; those between it and the innermost start again
        for (; next < shape.levels; ++next) {
            const auto n = static_cast<std::size_t>(next);
            const Level& level = shape.level[n];
            source += level.source_stride;
            target += level.target_stride;
            if (++done[n] < level.count)
                break;
            source -= level.source_stride * level.count;
            target -= level.target_stride * level.count;
            done[n] = 0;
        }
        if (next >= shape.levels)
            return;
    }
}

// Calls visit(source, target) for each segment.
template <class Source, class Destination, class Visit>
void walk(const Shape& shape, Source source, Destination target, Visit visit)
{
    const Level run = shape.run();
    walk_runs(shape, source, target, [&](Source from, Destination to) {
        for (std::int64_t i = 0; i < run.count; ++i, from += run.source_stride, to += run.target_stride)
            visit(from, to);
    });
}

} // namespace armci::strided
