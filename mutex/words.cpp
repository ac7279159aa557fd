#include "mutex/words.hpp"

#include "gmr/transfer/remote.hpp"

#include <algorithm>

namespace armci::mutex {

std::uint64_t Words::bytes(std::uint64_t count)
{
    return std::max<std::uint64_t>(count * sizeof(std::int32_t), gmr::window_alignment);
}

Words::Words(gmr::Team& team, std::byte* memory, std::uint64_t count, EpochStyle epochs)
    : team_(team), window_(gmr::Window::over(team.comm(), memory, bytes(count), epochs))
{
}

gmr::Target Words::at(int rank, std::size_t index) const
{
    gmr::Target target;
    target.window = window_.get();
    target.rank = rank;
    target.process = team_.member(rank);
    target.displacement = index * sizeof(std::int32_t);
    return target;
}

std::int32_t Words::fetch(int rank, std::size_t index, MPI_Op op, std::int32_t operand) const
{
    std::int32_t old = 0;
    gmr::remote::fetch_and_op(at(rank, index), MPI_INT32_T, op, &operand, &old);
    return old;
}

std::int32_t Words::read(int rank, std::size_t index) const
{
    return fetch(rank, index, MPI_NO_OP, 0);
}

std::int32_t Words::swap(int rank, std::size_t index, std::int32_t value) const
{
    return fetch(rank, index, MPI_REPLACE, value);
}

std::int32_t Words::add(int rank, std::size_t index, std::int32_t value) const
{
    return fetch(rank, index, MPI_SUM, value);
}

std::int32_t Words::compare_and_swap(int rank, std::size_t index, std::int32_t expected,
                                     std::int32_t value) const
{
    std::int32_t old = 0;
    gmr::remote::compare_and_swap(at(rank, index), MPI_INT32_T, &expected, &value, &old);
    return old;
}

} // namespace armci::mutex
