#include "mutex/words.hpp"

#include "gmr/active_messages/active_messages.hpp"
#include "gmr/active_messages/carry_out.hpp"
#include "gmr/transfer/remote.hpp"

#include <algorithm>

namespace armci::mutex {

using gmr::active_messages::narrowed;
using gmr::active_messages::Operation;
using gmr::active_messages::widened;

std::uint64_t Words::bytes(std::uint64_t count)
{
    return std::max<std::uint64_t>(count * sizeof(std::int32_t), gmr::window_alignment());
}

Words::Words(gmr::Team& team, std::byte* memory, std::uint64_t count, EpochStyle epochs) : team_(team)
{
    if (gmr::ActiveMessages::the_one() != nullptr)
        memory_ = team.exchange(memory);
    else
        window_ = gmr::Window::over(team.comm(), memory, bytes(count), epochs);
}

std::int32_t Words::change(int rank, std::size_t index, Operation operation, std::int32_t operand,
                           std::int32_t expected) const
{
    std::byte* const word = memory_[static_cast<std::size_t>(rank)] + index * sizeof(std::int32_t);
    const gmr::active_messages::Fetch fetch{reinterpret_cast<std::uintptr_t>(word), operation, sizeof operand,
                                            widened(operand), widened(expected)};
    return narrowed<std::int32_t>(team_.on_my_node(rank)
                                      ? gmr::active_messages::carry_out(fetch)
                                      : gmr::ActiveMessages::the_one()->fetch(team_.member(rank), fetch));
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
    return window_ ? fetch(rank, index, MPI_NO_OP, 0) : change(rank, index, Operation::read, 0);
}

std::int32_t Words::swap(int rank, std::size_t index, std::int32_t value) const
{
    return window_ ? fetch(rank, index, MPI_REPLACE, value) : change(rank, index, Operation::swap, value);
}

std::int32_t Words::add(int rank, std::size_t index, std::int32_t value) const
{
    return window_ ? fetch(rank, index, MPI_SUM, value) : change(rank, index, Operation::add, value);
}

std::int32_t Words::compare_and_swap(int rank, std::size_t index, std::int32_t expected,
                                     std::int32_t value) const
{
    if (!window_)
        return change(rank, index, Operation::compare_and_swap, value, expected);
    std::int32_t old = 0;
    gmr::remote::compare_and_swap(at(rank, index), MPI_INT32_T, &expected, &value, &old);
    return old;
}

} // namespace armci::mutex
