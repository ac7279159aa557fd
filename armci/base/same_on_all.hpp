// Whether processes say the same, by one reduction of two words however long it is.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string_view>

namespace armci {

// A number that tells texts apart, the same on hosts of different systems (FNV-1a).
std::uint64_t digest(std::string_view text);

// Collective over `comm`.
bool same_on_all(std::string_view mine, MPI_Comm comm);

} // namespace armci
