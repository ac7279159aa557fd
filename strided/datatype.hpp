// Datatypes: one side of a shape as a derived type, kept for the next call with the same shape.
//
// Vectors of vectors by byte strides take any stride. Subarrays (paper 001, section VI-C), which would do
// where strides divide, are up to 1.6 times slower on MPICH (docs/design/0006). The last `most_kept` are
// kept. Callable from any thread.
#pragma once

#include "armci/base/mpi.hpp"
#include "strided/shape.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace armci::strided {

// `count` and `stride` (bytes) of the levels, innermost first.
struct Side {
    std::int64_t segment; // bytes
    int levels;
    std::array<std::int64_t, most_levels> count;
    std::array<std::int64_t, most_levels> stride;

    bool operator==(const Side&) const = default;
};

template <std::int64_t Level::*Stride>
Side side_of(const Shape& shape)
{
    Side side{shape.segment, shape.levels, {}, {}};
    for (int i = 0; i < shape.levels; ++i) {
        const auto n = static_cast<std::size_t>(i);
        side.count[n] = shape.level[n].count;
        side.stride[n] = shape.level[n].*Stride;
    }
    return side;
}

// Whether the segments lie one behind the other.
bool is_packed(const Side& side);

// The widest element for both sides of a shape, the first segments being at `places` (or-ed together).
MPI_Datatype widest_element(const Side& one, const Side& other, std::uint64_t places);

// Elements of a shape of at most INT_MAX of them.
int elements_in(const Shape& shape, MPI_Datatype element);

// Segments are whole elements of predefined `element`, an INT_MAX of them at most; so is each count.
using Datatype = std::shared_ptr<const mpi::Datatype>;
Datatype datatype_of(const Side& side, MPI_Datatype element);
// A side of a shape as MPI takes it: all its elements where it is packed, one derived type elsewhere.
struct Described {
    Datatype kept; // keeps `type`, if it is derived
    MPI_Datatype type;
    int count;
};
Described describe(const Shape& shape, const Side& side, MPI_Datatype element);
// Frees those that are kept, before MPI ends.
void forget_datatypes();

} // namespace armci::strided
