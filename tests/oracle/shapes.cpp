#include "tests/oracle/shapes.hpp"

#include <algorithm>
#include <cstdlib>

namespace oracle {

namespace {

long row_at(const Step& block, long row)
{
    return block.at + row * block.pitch;
}

void contiguous(Step& step, const Step& block, long unit, const Shapes& shapes, Random& random)
{
    const long units = block.bytes / unit;
    const long first = random.below(units);
    const long room = units - first;
    step.at = row_at(block, random.below(block.rows)) + first * unit;
    step.bytes = unit * (random.chance(20) ? room : 1 + random.small(room));
    if (shapes.empty && random.chance(3))
        step.bytes = 0;
}

// Local strides for counts that are known: dense, with gaps, or backwards.
void lay_out_here(Step& step, const Shapes& shapes, Random& random)
{
    const bool dense = random.chance(40);
    long extent = step.counts[0];
    step.from = 0;
    for (std::size_t i = 1; i < step.counts.size(); ++i) {
        const long gap = dense ? 0 : shapes.odd ? random.small(12) : 8 * random.small(3);
        long stride = extent + gap;
        const long reach = stride * std::max(0l, step.counts[i] - 1);
        if (shapes.negative && random.chance(15)) {
            step.from += reach;
            stride = -stride;
        }
        step.here.push_back(stride);
        extent += reach;
    }
}

// Levels inside one row.
void strided_in_row(Step& step, const Step& block, long unit, const Shapes& shapes, Random& random)
{
    const long units = block.bytes / unit;
    long extent = 1 + random.small(std::min(units, 40l)); // in units
    step.counts = {extent * unit};
    step.at = row_at(block, random.below(block.rows));
    const long levels = random.between(1, shapes.most_levels);
    long first = 0;
    for (long level = 0; level < levels; ++level) {
        const bool meets = shapes.overlapping && random.chance(4);
        long stride = meets ? random.below(extent + 1) : extent + (shapes.odd ? random.small(9) : 0);
        if (stride == 0 && !meets)
            stride = 1;
        const long most = stride == 0 ? 3 : (units - extent) / stride + 1;
        const long count = std::max(1l, std::min(most, 1 + random.small(level == 0 ? 40 : 6)));
        const long reach = stride * (count - 1);
        if (shapes.negative && random.chance(15)) {
            first += reach;
            stride = -stride;
        }
        step.counts.push_back(count);
        step.there.push_back(stride * unit);
        extent += reach;
    }
    step.at += (first + random.below(units - extent + 1)) * unit;
}

// Columns of the block's rows.
void strided_over_rows(Step& step, const Step& block, long unit, const Shapes& shapes, Random& random)
{
    const long units = block.bytes / unit, width = random.between(1, units),
               column = random.below(units - width + 1);
    const long every = random.chance(70) ? 1 : random.between(1, std::max(1l, block.rows / 2));
    const long count = random.between(1, (block.rows - 1) / every + 1);
    const long row = random.below(block.rows - (count - 1) * every);
    step.at = row_at(block, row) + column * unit;
    step.counts = {width * unit, count};
    step.there = {every * block.pitch};
    if (width > 1 && random.chance(25)) { // element by element
        step.counts = {unit, width, count};
        step.there = {unit, every * block.pitch};
    }
    if (shapes.negative && random.chance(15)) {
        step.at += (count - 1) * step.there.back();
        step.there.back() = -step.there.back();
    }
}

void vector(Step& step, const Step& block, long unit, const Shapes& shapes, Random& random)
{
    const long units = block.bytes / unit;
    step.at = block.at;
    const bool meets = shapes.overlapping && random.chance(12);
    const bool is_image = meets && step.verb != Verb::acc; // the same bytes wherever segments meet
    const long wanted = 1 + random.small(random.chance(10) ? 200 : 24);
    long length = 1 + random.small(std::min(units, 30l));
    long at = random.below(units), here = 0, row = random.below(block.rows);
    for (long n = 0; n < wanted; ++n) {
        if (random.chance(20))
            length = 1 + random.small(std::min(units, 30l));
        if (at + length > units) {
            at = 0;
            if (++row >= block.rows) {
                if (!meets)
                    break;
                row = 0;
            }
        }
        if (at + length > units)
            break;
        const long there = row_at(block, row) + at * unit;
        step.lengths.push_back(shapes.empty && random.chance(2) ? 0 : length * unit);
        step.there.push_back(there);
        step.here.push_back(is_image ? there - block.at : here);
        here += length * unit + (shapes.odd ? random.small(10) : 0);
        at = meets ? random.below(units) : at + length + random.small(6);
    }
    if (step.lengths.empty()) {
        step.lengths = {unit};
        step.there = {block.at};
        step.here = {0};
    }
    // In any order, so that no path may rely on theirs.
    if (random.chance(40)) {
        for (std::size_t i = step.lengths.size(); i-- > 1;) {
            const auto j = static_cast<std::size_t>(random.below(static_cast<long>(i) + 1));
            std::swap(step.lengths[i], step.lengths[j]);
            std::swap(step.there[i], step.there[j]);
            std::swap(step.here[i], step.here[j]);
        }
    }
}

} // namespace

void shape(Step& step, const Step& block, long unit, const Shapes& shapes, Random& random)
{
    if (shapes.vectors && random.chance(25))
        return vector(step, block, unit, shapes, random);
    if (!shapes.strided || random.chance(45))
        return contiguous(step, block, unit, shapes, random);
    if (block.rows > 1 && random.chance(70))
        strided_over_rows(step, block, unit, shapes, random);
    else
        strided_in_row(step, block, unit, shapes, random);
    if (shapes.empty && random.chance(4))
        step.counts[static_cast<std::size_t>(random.below(static_cast<long>(step.counts.size())))] = 0;
    lay_out_here(step, shapes, random);
}

} // namespace oracle
