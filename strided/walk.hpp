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

// Calls visit(part, source offset, target offset) for parts of the shape of at most `most` bytes each, or of
// one segment, in the order of the walk.
template <class Visit>
void in_chunks(const Shape& shape, std::int64_t most, Visit visit)
{
    std::int64_t bytes = shape.segment;
    int whole = 0; // so many levels go into each part
    for (; whole < shape.levels; ++whole) {
        const std::int64_t count = shape.level[static_cast<std::size_t>(whole)].count;
        if (count > most / bytes)
            break;
        bytes *= count;
    }
    if (whole == shape.levels) {
        visit(shape, std::int64_t{0}, std::int64_t{0});
        return;
    }
    const Level cut = shape.level[static_cast<std::size_t>(whole)];
    const std::int64_t each = std::max<std::int64_t>(1, most / bytes);
    Shape part = shape;
    part.levels = whole + 1;
    Shape above;
    above.segment = 1;
    above.levels = shape.levels - part.levels;
    std::copy_n(shape.level.begin() + part.levels, above.levels, above.level.begin());
    walk(above, std::int64_t{0}, std::int64_t{0}, [&](std::int64_t source, std::int64_t target) {
        for (std::int64_t done = 0; done < cut.count; done += each) {
            part.level[static_cast<std::size_t>(whole)].count = std::min(each, cut.count - done);
            visit(part, source + done * cut.source_stride, target + done * cut.target_stride);
        }
    });
}

} // namespace armci::strided
