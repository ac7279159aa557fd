// A register of so many bytes, of whatever instruction set the function is compiled for.
#pragma once

#include <cstddef>

namespace armci::gmr::kernels {

template <std::size_t Bytes>
struct VectorOf {
    // NOLINTNEXTLINE(modernize-use-using): GCC ignores the attribute in an alias
    typedef unsigned char type __attribute__((vector_size(Bytes)));
};

} // namespace armci::gmr::kernels
