#include "gmr/transfer/joined.hpp"

#include "armci/base/mpi_traits.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/ordering.hpp"
#include "gmr/network/window.hpp"

#include <algorithm>

namespace armci::gmr {
namespace {

// Larger transfers gain nothing from company, nor do more of them.
constexpr std::uint64_t most_bytes_each = 4096;
constexpr std::size_t most_blocks_got = 256;
// An operation of more bytes gains nothing, and its first ones would wait for the last.
constexpr std::uint64_t most_bytes = 256 * 1024;

// Whether [first, first + bytes) meets one of the blocks at `places`.
bool any_meets(const std::vector<MPI_Aint>& places, const std::vector<int>& sizes, MPI_Aint first,
               std::uint64_t bytes)
{
    const MPI_Aint last = first + static_cast<MPI_Aint>(bytes);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (places[i] < last && first < places[i] + sizes[i])
            return true;
    return false;
}

} // namespace

bool Joined::is_full() const
{
    const std::size_t most = direction_ == Direction::get
                                 ? most_blocks_got
                                 : std::min(most_blocks_got, traits::in_use.written_blocks);
    return blocks_.sizes.size() >= most;
}

bool Joined::takes(Direction direction, const Target& target, std::uint64_t bytes, For whom)
{
    if (bytes > most_bytes_each || !target.window->locks_all() || !target.window->can_join_attached())
        return false;
    if (direction == Direction::get && whom == For::aggregate)
        return true;
    return rma::joins_blocks() && (direction == Direction::put || whom == For::nobody);
}

bool Joined::meets(const Target& target, std::uint64_t bytes) const
{
    return is_to(target) &&
           any_meets(blocks_.displacements, blocks_.sizes, static_cast<MPI_Aint>(target.displacement), bytes);
}

bool Joined::goes_with(Direction direction, const Target& target, const void* mine, std::uint64_t bytes) const
{
    return direction_ == direction && is_to(target) && !is_full() && bytes_ + bytes <= most_bytes &&
           !meets(target, bytes) &&
           (direction == Direction::put ||
            !any_meets(blocks_.addresses, blocks_.sizes, reinterpret_cast<MPI_Aint>(mine), bytes));
}

void Joined::add(Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    const auto address = reinterpret_cast<MPI_Aint>(mine);
    const auto size = static_cast<int>(bytes);
    const auto displacement = static_cast<MPI_Aint>(target.displacement);
    bytes_ += bytes;
    if (empty()) {
        direction_ = direction;
        target_ = target;
    } else if (blocks_.addresses.back() + blocks_.sizes.back() == address &&
               blocks_.displacements.back() + blocks_.sizes.back() == displacement) {
        blocks_.sizes.back() += size;
        return;
    }
    blocks_.sizes.push_back(size);
    blocks_.addresses.push_back(address);
    blocks_.displacements.push_back(displacement);
}

// All of them, as a target and its extent for ordering.
Target Joined::span(std::uint64_t& extent) const
{
    std::uint64_t first = UINT64_MAX;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < blocks_.sizes.size(); ++i) {
        const auto start = static_cast<std::uint64_t>(blocks_.displacements[i]);
        first = std::min(first, start);
        last = std::max(last, start + static_cast<std::uint64_t>(blocks_.sizes[i]));
    }
    Target target = target_;
    target.displacement = first;
    extent = last - first;
    return target;
}

void Joined::issue(rma::Requests* requests)
{
    if (empty())
        return;
    std::uint64_t extent = 0;
    const Target target = span(extent);
    const bool puts = direction_ == Direction::put;
    const bool one = blocks_.sizes.size() == 1;
    auto* const mine = reinterpret_cast<void*>(blocks_.addresses.front());
    const bool each = !puts && !one && (requests != nullptr || !rma::joins_blocks());
    Access access = puts ? Access::put : Access::get;
    if (one || each) // as they would have gone by themselves
        access = puts ? ordering::put_access(extent) : ordering::get_access();
    if (puts) // gets were put in order when they came here
        completion::begin(target, extent, access);
    if (one && puts)
        rma::put(target, mine, extent, requests);
    else if (one)
        rma::get(target, mine, extent, requests);
    else if (puts && requests != nullptr)
        put_copies(target);
    else if (puts)
        rma::put_blocks(target, blocks_);
    else if (each)
        get_each(requests);
    else
        rma::get_blocks(target, blocks_);
    completion::end(target, extent, access);
    bytes_ = 0;
    blocks_.sizes.clear();
    blocks_.addresses.clear();
    blocks_.displacements.clear();
}

// The sources are free at once: requests of blocks cannot be trusted (gmr/network/rma.hpp).
void Joined::put_copies(const Target& target)
{
    Buffers copies;
    const std::byte* const packed = copies.emplace_back(rma::pack(blocks_)).get();
    rma::put_blocks(target, blocks_, packed);
    completion::lend(target, std::move(copies));
}

void Joined::get_each(rma::Requests* requests)
{
    Target source = target_;
    for (std::size_t i = 0; i < blocks_.sizes.size(); ++i) {
        source.displacement = static_cast<std::uint64_t>(blocks_.displacements[i]);
        rma::get(source, reinterpret_cast<void*>(blocks_.addresses[i]),
                 static_cast<std::uint64_t>(blocks_.sizes[i]), requests);
    }
}

} // namespace armci::gmr
