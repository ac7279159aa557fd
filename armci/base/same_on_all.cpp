#include "armci/base/same_on_all.hpp"

#include "armci/base/mpi.hpp"

#include <array>

namespace armci {

std::uint64_t digest(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    return hash;
}

bool same_on_all(std::string_view mine, MPI_Comm comm)
{
    const std::uint64_t number = digest(mine);
    std::array<std::uint64_t, 2> least{number, ~number}; // the least complement is the greatest number's
    mpi::allreduce(least.data(), 2, MPI_UINT64_T, MPI_MIN, comm);
    return least[0] == ~least[1];
}

} // namespace armci
