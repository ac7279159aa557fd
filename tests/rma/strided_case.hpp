// A strided transfer as its definition reads, and what a serial program would make of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace armci_test {

// How a level lies over the ones below it. All but `packed` leave gaps; none makes segments overlap.
enum class Stride { packed, doubled, odd, negative };
inline constexpr Stride all_strides[] = {Stride::packed, Stride::doubled, Stride::odd, Stride::negative};

struct StridedCase {
    std::vector<int> count{1};       // levels + 1
    std::vector<int> source, target; // levels

    int levels() const { return static_cast<int>(source.size()); }
    long bytes() const
    {
        long product = 1;
        for (const int n : count)
            product *= n;
        return product;
    }

    std::string text() const
    {
        std::ostringstream out;
        const auto list = [&](const char* name, const std::vector<int>& values) {
            out << name << " {";
            for (const int value : values)
                out << " " << value;
            out << " } ";
        };
        list("count", count);
        list("source strides", source);
        list("target strides", target);
        return out.str();
    }

    // visit(source offset, target offset) for each segment, first level fastest.
    template <class Visit>
    void each_segment(Visit visit) const
    {
        descend(levels(), 0, 0, visit);
    }

private:
    template <class Visit>
    void descend(int level, long from, long to, Visit& visit) const
    {
        if (level == 0) {
            visit(from, to);
            return;
        }
        const auto below = static_cast<std::size_t>(level - 1);
        for (int i = 0; i < count[below + 1]; ++i)
            descend(level - 1, from + i * long{source[below]}, to + i * long{target[below]}, visit);
    }
};

// Bytes before and after the first one that a side touches.
struct Span {
    long below = 0, above = 0;
    long extent() const { return below + above; }
};

inline Span span_of(const std::vector<int>& count, const std::vector<int>& stride)
{
    Span span{0, count[0]};
    for (std::size_t i = 0; i < stride.size(); ++i) {
        if (count[i + 1] == 0)
            return {};
        (stride[i] < 0 ? span.below : span.above) += std::labs(long{stride[i]} * (count[i + 1] - 1));
    }
    return span;
}

// Strides of the given kinds over `count`, all multiples of `unit`.
inline std::vector<int> make_strides(const std::vector<int>& count, const std::vector<Stride>& kinds,
                                     int unit)
{
    std::vector<int> strides;
    int extent = count[0];
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        int stride = extent;
        switch (kinds[i]) {
        case Stride::packed:
            break;
        case Stride::doubled:
            stride = 2 * extent;
            break;
        case Stride::odd:
            stride = extent + unit;
            break;
        case Stride::negative:
            stride = -(extent + 2 * unit);
            break;
        }
        strides.push_back(stride);
        extent += std::abs(stride) * (count[i + 1] - 1);
    }
    return strides;
}

// Every list of `levels` entries from 1 to `most`.
template <class Visit>
void each_extent(int levels, int most, Visit visit)
{
    std::vector<int> extent(static_cast<std::size_t>(levels), 1);
    for (;;) {
        visit(extent);
        std::size_t i = 0;
        while (i < extent.size() && ++extent[i] > most)
            extent[i++] = 1;
        if (i == extent.size())
            return;
    }
}

// A case of random extents and strides whose segments are multiples of `unit` bytes; both sides span less
// than 32 KiB.
inline StridedCase random_case(std::mt19937_64& random, int levels, int unit)
{
    for (;;) {
        StridedCase made;
        made.count[0] = unit * static_cast<int>(1 + random() % (levels < 3 ? 40 : 4));
        for (int i = 0; i < levels; ++i)
            made.count.push_back(static_cast<int>(1 + random() % (levels < 3 ? 12 : levels < 5 ? 5 : 3)));
        std::vector<Stride> source, target;
        for (int i = 0; i < levels; ++i) {
            source.push_back(all_strides[random() % 4]);
            target.push_back(all_strides[random() % 4]);
        }
        made.source = make_strides(made.count, source, unit);
        made.target = make_strides(made.count, target, unit);
        if (span_of(made.count, made.source).extent() < 32768 &&
            span_of(made.count, made.target).extent() < 32768)
            return made;
    }
}

} // namespace armci_test
