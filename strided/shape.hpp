// Shape: a validated and folded strided transfer.
//
// A transfer moves segments of count[0] bytes; level i (1...levels) repeats what is below it count[i] times, each
// stride[i-1] bytes after the last (ARMCI's notation). Folding drops levels that repeat once, and joins a level to the
// one below where both sides are contiguous across it. Strides keep their sign and need divide nothing.
#pragma once

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
    std::int64_t segments() const;
    std::int64_t bytes() const { return segment * segments(); }
};

// Checks the arguments of a strided call and folds them. Reports and returns non-zero when they are wrong. A transfer
// of no bytes gives an empty shape.
// A stride is an int, or 64 bits wide where the library itself makes it.
template <class SourceStride, class TargetStride>
int make_shape(const char* call, const SourceStride* source_stride, const TargetStride* target_stride, const int* count,
               int levels, Shape& shape);

// The bytes that one side of a non-empty shape spans: [start + below, start + above).
struct Reach {
    std::int64_t below; // <= 0
    std::int64_t above;
    std::uint64_t extent() const { return static_cast<std::uint64_t>(above - below); }
};

template <std::int64_t Level::*Stride> Reach reach(const Shape& shape)
{
    Reach result{0, shape.segment};
    for (int i = 0; i < shape.levels; ++i) {
        const Level& level = shape.level[static_cast<std::size_t>(i)];
        const std::int64_t span = (level.count - 1) * (level.*Stride);
        (span < 0 ? result.below : result.above) += span;
    }
    return result;
}

} // namespace armci::strided
