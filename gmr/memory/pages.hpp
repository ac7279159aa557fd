// Pages: the sizes that mappings are aligned to and given back in.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace armci::gmr {

// Of this system: 4 KiB, or 64 on some POWER and AArch64 machines.
inline std::size_t page_bytes()
{
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

} // namespace armci::gmr
