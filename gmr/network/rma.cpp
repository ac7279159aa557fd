#include "gmr/network/rma.hpp"

#include "armci/base/mpi_traits.hpp"
#include "armci/base/thread_turns.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/ordering.hpp"
#include "gmr/network/window.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>

namespace armci::gmr::rma {
namespace {

// The largest piece that one MPI call moves: a multiple of every element size, well below INT_MAX.
constexpr std::uint64_t most_per_call = std::uint64_t{1} << 30;

// Calls issue(displacement, offset, count of units, request or null) for pieces of at most `most` bytes.
template <class Issue>
void in_pieces(const Target& target, std::uint64_t bytes, std::uint64_t most, std::uint64_t unit,
               Requests* requests, Issue issue)
{
    const Window& window = *target.window;
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t piece = std::min(bytes - done, most);
        MPI_Request request = MPI_REQUEST_NULL;
        issue(static_cast<MPI_Aint>(target.displacement + done), done, static_cast<int>(piece / unit),
              requests != nullptr && window.locks_all() ? &request : nullptr);
        if (request != MPI_REQUEST_NULL)
            requests->push_back(request);
        done += piece;
    }
}

bool blocks_are_usable = true;

// Blocks as one derived type, which counts from the place `from`.
struct Layout {
    mpi::Datatype type;
    MPI_Aint from;
};

bool are_alike(const std::vector<int>& sizes)
{
    return std::all_of(sizes.begin(), sizes.end(), [&](int size) { return size == sizes.front(); });
}

bool are_even(const std::vector<MPI_Aint>& places)
{
    for (std::size_t i = 2; i < places.size(); ++i)
        if (places[i] - places[i - 1] != places[1] - places[0])
            return false;
    return true;
}

// Blocks of `sizes` bytes at `places`. The more regular, the shorter is what the target is told of them. None
// of a negative stride: of one byte, Open MPI takes other bytes (4.1.4, 5.0.7; docs/mpi-facts.md). The type
// counts from the least place: Open MPI 6 looks for attached memory at the place that a type counts from.
Layout layout_of(const std::vector<int>& sizes, const std::vector<MPI_Aint>& places, MPI_Datatype element,
                 int unit)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const auto blocks = static_cast<int>(sizes.size());
    const int count = sizes.front() / unit;
    if (are_alike(sizes) && blocks > 1 && places[1] > places[0] && are_even(places)) {
        mpi::check(MPI_Type_create_hvector(blocks, count, places[1] - places[0], element, &type),
                   "MPI_Type_create_hvector");
        return {mpi::Datatype(type), places.front()};
    }
    const MPI_Aint least = *std::min_element(places.begin(), places.end());
    std::vector<MPI_Aint> offsets(places);
    for (MPI_Aint& each : offsets)
        each -= least;
    if (!are_alike(sizes)) {
        std::vector<int> counts(sizes);
        for (int& each : counts)
            each /= unit;
        mpi::check(MPI_Type_create_hindexed(blocks, counts.data(), offsets.data(), element, &type),
                   "MPI_Type_create_hindexed");
    } else {
        mpi::check(MPI_Type_create_hindexed_block(blocks, count, offsets.data(), element, &type),
                   "MPI_Type_create_hindexed_block");
    }
    return {mpi::Datatype(type), least};
}

// Whether the blocks lie one behind the other here.
bool are_packed(const Blocks& blocks)
{
    for (std::size_t i = 1; i < blocks.sizes.size(); ++i)
        if (blocks.addresses[i] != blocks.addresses[i - 1] + blocks.sizes[i - 1])
            return false;
    return true;
}

void accumulate_as(MPI_Op op, const Target& target, MPI_Datatype type, std::uint64_t unit, const void* source,
                   std::uint64_t bytes, Requests* requests, bool alone)
{
    const auto turn = traits::await_turn();
    const MPI_Win window = target.window->get();
    const std::uint64_t piece = alone ? traits::in_use.piece_bytes_alone : traits::in_use.piece_bytes;
    if (requests == nullptr && bytes <= piece) [[likely]] {
        const auto count = static_cast<int>(bytes / unit);
        mpi::check(MPI_Accumulate(source, count, type, target.rank,
                                  static_cast<MPI_Aint>(target.displacement), count, type, op, window),
                   "MPI_Accumulate");
        return;
    }
    in_pieces(target, bytes, piece, unit, requests,
              [&](MPI_Aint place, std::uint64_t offset, int count, MPI_Request* request) {
                  const auto* const from = static_cast<const std::byte*>(source) + offset;
                  mpi::check(request != nullptr ? MPI_Raccumulate(from, count, type, target.rank, place,
                                                                  count, type, op, window, request)
                                                : MPI_Accumulate(from, count, type, target.rank, place, count,
                                                                 type, op, window),
                             request != nullptr ? "MPI_Raccumulate" : "MPI_Accumulate");
              });
}

int pieces_of(std::uint64_t bytes, std::uint64_t most)
{
    return static_cast<int>((bytes + most - 1) / most);
}

} // namespace

int calls_of_transfer(std::uint64_t bytes)
{
    return ordering::by_accumulates() ? calls_of_accumulate(bytes) : pieces_of(bytes, most_per_call);
}

int calls_of_accumulate(std::uint64_t bytes)
{
    return pieces_of(bytes, std::min(traits::in_use.piece_bytes, traits::in_use.piece_bytes_alone));
}

void put(const Target& target, const void* source, std::uint64_t bytes, Requests* requests, bool alone)
{
    const auto turn = traits::await_turn();
    if (ordering::by_accumulates() ||
        (!alone && bytes > traits::in_use.replacing_above && bytes < traits::in_use.replacing_below)) {
        accumulate_as(MPI_REPLACE, target, MPI_BYTE, 1, source, bytes, requests, alone);
        return;
    }
    const MPI_Win window = target.window->get();
    in_pieces(target, bytes, most_per_call, 1, requests,
              [&](MPI_Aint place, std::uint64_t offset, int count, MPI_Request* request) {
                  const auto* const from = static_cast<const std::byte*>(source) + offset;
                  mpi::check(request != nullptr ? MPI_Rput(from, count, MPI_BYTE, target.rank, place, count,
                                                           MPI_BYTE, window, request)
                                                : MPI_Put(from, count, MPI_BYTE, target.rank, place, count,
                                                          MPI_BYTE, window),
                             request != nullptr ? "MPI_Rput" : "MPI_Put");
              });
}

void get(const Target& target, void* destination, std::uint64_t bytes, Requests* requests)
{
    const auto turn = traits::await_turn();
    const MPI_Win window = target.window->get();
    const bool accumulates = ordering::by_accumulates();
    in_pieces(
        target, bytes, accumulates ? traits::in_use.piece_bytes_alone : most_per_call, 1, requests,
        [&](MPI_Aint place, std::uint64_t offset, int count, MPI_Request* request) {
            auto* const to = static_cast<std::byte*>(destination) + offset;
            if (accumulates)
                mpi::check(request != nullptr
                               ? MPI_Rget_accumulate(nullptr, 0, MPI_BYTE, to, count, MPI_BYTE, target.rank,
                                                     place, count, MPI_BYTE, MPI_NO_OP, window, request)
                               : MPI_Get_accumulate(nullptr, 0, MPI_BYTE, to, count, MPI_BYTE, target.rank,
                                                    place, count, MPI_BYTE, MPI_NO_OP, window),
                           request != nullptr ? "MPI_Rget_accumulate" : "MPI_Get_accumulate");
            else
                mpi::check(
                    request != nullptr
                        ? MPI_Rget(to, count, MPI_BYTE, target.rank, place, count, MPI_BYTE, window, request)
                        : MPI_Get(to, count, MPI_BYTE, target.rank, place, count, MPI_BYTE, window),
                    request != nullptr ? "MPI_Rget" : "MPI_Get");
        });
}

void accumulate(const Target& target, MPI_Datatype type, std::uint64_t unit, const void* source,
                std::uint64_t bytes, Requests* requests, bool alone)
{
    accumulate_as(MPI_SUM, target, type, unit, source, bytes, requests, alone);
}

void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result,
                  MPI_Request* request)
{
    const auto turn = traits::await_turn();
    const auto place = static_cast<MPI_Aint>(target.displacement);
    const MPI_Win window = target.window->get();
    if (request != nullptr)
        mpi::check(MPI_Rget_accumulate(operand, 1, type, result, 1, type, target.rank, place, 1, type, op,
                                       window, request),
                   "MPI_Rget_accumulate");
    else
        mpi::check(MPI_Fetch_and_op(operand, result, type, target.rank, place, op, window),
                   "MPI_Fetch_and_op");
}

void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result)
{
    const auto turn = traits::await_turn();
    mpi::check(MPI_Compare_and_swap(replacement, compare, result, type, target.rank,
                                    static_cast<MPI_Aint>(target.displacement), target.window->get()),
               "MPI_Compare_and_swap");
}

bool joins_blocks()
{
    return blocks_are_usable && traits::in_use.derived_types;
}

bool gets_by_spans()
{
    return !joins_blocks() || !traits::in_use.types_are_one_message;
}

std::uint64_t total(const Blocks& blocks)
{
    return std::accumulate(blocks.sizes.begin(), blocks.sizes.end(), std::uint64_t{0});
}

Buffer pack(const Blocks& blocks)
{
    Buffer packed = staging::take(total(blocks));
    std::byte* to = packed.get();
    for (std::size_t i = 0; i < blocks.sizes.size(); ++i) {
        const auto size = static_cast<std::size_t>(blocks.sizes[i]);
        std::memcpy(to, reinterpret_cast<const std::byte*>(blocks.addresses[i]), size);
        to += size;
    }
    return packed;
}

void put_typed(const Target& target, const Typed& typed)
{
    const auto turn = traits::await_turn();
    const auto place = static_cast<MPI_Aint>(target.displacement);
    const MPI_Win window = target.window->get();
    // As put() does. With holes MPI would not put by itself, and accumulating takes longer.
    if (typed.count_there > 1 && ordering::by_accumulates())
        mpi::check(MPI_Accumulate(typed.mine, typed.count, typed.here, target.rank, place, typed.count_there,
                                  typed.there, MPI_REPLACE, window),
                   "MPI_Accumulate");
    else
        mpi::check(MPI_Put(typed.mine, typed.count, typed.here, target.rank, place, typed.count_there,
                           typed.there, window),
                   "MPI_Put");
}

void get_typed(const Target& target, const Typed& typed)
{
    const auto turn = traits::await_turn();
    const auto place = static_cast<MPI_Aint>(target.displacement);
    const MPI_Win window = target.window->get();
    if (typed.count_there > 1 && ordering::by_accumulates())
        mpi::check(MPI_Get_accumulate(nullptr, 0, MPI_BYTE, typed.mine, typed.count, typed.here, target.rank,
                                      place, typed.count_there, typed.there, MPI_NO_OP, window),
                   "MPI_Get_accumulate");
    else
        mpi::check(MPI_Get(typed.mine, typed.count, typed.here, target.rank, place, typed.count_there,
                           typed.there, window),
                   "MPI_Get");
}

void accumulate_typed(const Target& target, const Typed& typed)
{
    const auto turn = traits::await_turn();
    mpi::check(MPI_Accumulate(typed.mine, typed.count, typed.here, target.rank,
                              static_cast<MPI_Aint>(target.displacement), typed.count_there, typed.there,
                              MPI_SUM, target.window->get()),
               "MPI_Accumulate");
}

namespace {

// Calls issue(target, typed) for blocks of `element`.
template <class Issue>
void as_typed(const Target& target, const Blocks& blocks, MPI_Datatype element, const std::byte* packed,
              Issue issue)
{
    const auto unit = static_cast<int>(mpi::size_of(element));
    const Layout there = layout_of(blocks.sizes, blocks.displacements, element, unit);
    Target first = target;
    first.displacement = static_cast<std::uint64_t>(there.from);
    if (packed == nullptr && are_packed(blocks))
        packed = reinterpret_cast<const std::byte*>(blocks.addresses.front());
    if (packed != nullptr) {
        const int count = static_cast<int>(total(blocks)) / unit;
        issue(first, Typed{const_cast<std::byte*>(packed), count, element, there.type.get()});
    } else {
        const Layout here = layout_of(blocks.sizes, blocks.addresses, element, unit);
        issue(first, Typed{reinterpret_cast<std::byte*>(here.from), 1, here.type.get(), there.type.get()});
    }
}

} // namespace

MPI_Datatype widest_element(std::uint64_t bits)
{
    return bits % 8 == 0 ? MPI_INT64_T : bits % 4 == 0 ? MPI_INT32_T : MPI_BYTE;
}

namespace {

// For all places and sizes of the blocks.
MPI_Datatype widest_element_of(const Blocks& blocks)
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < blocks.sizes.size(); ++i)
        bits |= static_cast<std::uint64_t>(blocks.sizes[i]) |
                static_cast<std::uint64_t>(blocks.addresses[i]) |
                static_cast<std::uint64_t>(blocks.displacements[i]);
    return widest_element(bits);
}

} // namespace

void put_blocks(const Target& target, const Blocks& blocks, const std::byte* packed)
{
    as_typed(target, blocks, widest_element_of(blocks), packed, put_typed);
}

void get_blocks(const Target& target, const Blocks& blocks)
{
    as_typed(target, blocks, widest_element_of(blocks), nullptr, get_typed);
}

void accumulate_blocks(const Target& target, MPI_Datatype type, const Blocks& blocks, const std::byte* packed)
{
    as_typed(target, blocks, type, packed, accumulate_typed);
}

void use_blocks(bool usable)
{
    blocks_are_usable = usable;
}

} // namespace armci::gmr::rma
