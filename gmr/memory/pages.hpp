// Pages: the sizes that mappings are aligned to and given back in.
#pragma once

#include <cstddef>

namespace armci::gmr {

inline constexpr std::size_t page = 4096;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

} // namespace armci::gmr
