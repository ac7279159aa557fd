// Shape: a validated and folded strided transfer.
//
// A transfer moves segments of count[0] bytes; level i (1...levels) repeats what is below it count[i] times,
// each stride[i-1] bytes after the last (ARMCI's notation). Folding drops levels that repeat once, and joins
// a level to the one below where both sides are contiguous across it. Strides keep their sign and need divide
// nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace armci::strided {

inline constexpr int most_levels = 7;

struct Level {
    std::int64_t count;
    std::int64_t source_stride; // bytes
    std::int64_t target_stride;
};

struct Shape {
    std::int64_t segment = 0; // bytes
    int levels = 0;
    std::array<Level, most_levels> level; // [0] is the innermost; only `levels` of them are set

    bool empty() const { return segment == 0; }
    // The innermost level; with no level, one segment.
    Level run() const { return levels == 0 ? Level{1, 0, 0} : level[0]; }
    std::int64_t segments() const;
    std::int64_t bytes() const { return segment * segments(); }
};

// The same segments one behind the other on the target side.
Shape packing(const Shape& shape);
// The target's segments as a source, one behind the other on the target side; folded.
Shape gathering(const Shape& shape);
// With its sides exchanged.
Shape reversed(const Shape& shape);

// Checks the arguments of a strided call and folds them. Reports and returns non-zero when they are wrong. A
// transfer of no bytes gives an empty shape. A stride is an int, or 64 bits wide where the library itself
// makes it.
template <class SourceStride, class TargetStride>
int make_shape(const char* call, const SourceStride* source_stride, const TargetStride* target_stride,
               const int* count, int levels, Shape& shape);

// The bytes that one side of a non-empty shape spans: [start + below, start + above). Where that does not fit
// 64 bits it stops at `most` either way, which is more than any region has, so that no wrapped sum passes a
// bounds check.
struct Reach {
    static constexpr std::int64_t most = INT64_MAX / 2;

    std::int64_t below; // <= 0
    std::int64_t above;
    std::uint64_t extent() const { return static_cast<std::uint64_t>(above - below); }
};

template <std::int64_t Level::*Stride>
Reach reach(const Shape& shape)
{
    Reach result{0, shape.segment};
    for (int i = 0; i < shape.levels; ++i) {
        const Level& level = shape.level[static_cast<std::size_t>(i)];
        const bool down = level.*Stride < 0;
        std::int64_t& side = down ? result.below : result.above;
        std::int64_t span = 0;
        if (__builtin_mul_overflow(level.count - 1, level.*Stride, &span) ||
            __builtin_add_overflow(side, span, &side))
            side = down ? -Reach::most : Reach::most;
        side = down ? std::max(side, -Reach::most) : std::min(side, Reach::most);
    }
    return result;
}

// Whether one side might have a byte twice; false only where it has none.
template <std::int64_t Level::*Stride>
bool may_overlap(const Shape& shape)
{
    std::int64_t span =
        shape.segment; // of what the levels so far reach over, taken by length of their strides
    unsigned taken = 0;
    for (int done = 0; done < shape.levels; ++done) {
        int next = -1;
        std::int64_t shortest = INT64_MAX;
        for (int i = 0; i < shape.levels; ++i) {
            const std::int64_t stride = shape.level[static_cast<std::size_t>(i)].*Stride;
            const std::int64_t length = stride < 0 ? -stride : stride;
            if ((taken >> i & 1) == 0 && length <= shortest) {
                shortest = length;
                next = i;
            }
        }
        if (shortest < span)
            return true;
        taken |= 1U << next;
        span += (shape.level[static_cast<std::size_t>(next)].count - 1) * shortest;
    }
    return false;
}

} // namespace armci::strided
