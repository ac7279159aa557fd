// Which bytes a transfer moves, and what its origin holds.
#pragma once

#include "tests/oracle/program.hpp"

#include <cstddef>

namespace oracle {

using Bytes = std::vector<std::byte>;

// `there` counts from the beginning of the target's slice of `region`, `here` from that of the origin's
// buffer.
struct Segment {
    int region;
    long there, here, bytes;
};

constexpr long most_segments = 5000;

bool has_too_many(const Step&);

// The segments that have bytes; empty where has_too_many holds.
std::vector<Segment> segments_of(const Step&);

// Bytes of the origin's buffer.
long origin_bytes(const std::vector<Segment>&);

// Bytes of an element, and of what sums work on: half of a complex one.
long element_bytes(Type);
long component_bytes(Type);

// Fills with values of `type`, the same at the same `place`; `bytes` is a multiple of the element's.
void fill(std::byte* to, long bytes, Type type, std::uint64_t data, long place);

// What a put, accumulate or store sends: a buffer of origin_bytes, of which segments hold values.
Bytes origin_of(const Step&, const std::vector<Segment>&);

// A buffer of any bytes: what lies between segments, and what a get finds in its buffer.
Bytes noise(long bytes, std::uint64_t data);

// Adds scale * from, element by element. A complex scale is scale + i.
void add(std::byte* to, const std::byte* from, long bytes, Type type, long scale, long times);

// Returns the scale as one element.
Bytes scale_of(Type type, long scale);

} // namespace oracle
