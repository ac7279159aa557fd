#include "armci/base/mpi_traits.hpp"
#include "gmr/transfer/elements.hpp"
#include "strided/datatype.hpp"
#include "strided/methods.hpp"
#include "strided/walk.hpp"

#include <algorithm>

namespace armci::strided {
namespace {

// What one operation moves at most: MPI keeps sizes of types in an int here and there.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

// Accumulates go faster in pieces, as puts of what is packed at the target may be (gmr/network/rma).
std::int64_t most_of(const Transfer& transfer)
{
    const bool packed =
        transfer.kind != Kind::get && is_packed(side_of<&Level::target_stride>(transfer.shape));
    return packed ? std::min(most_bytes, static_cast<std::int64_t>(traits::in_use.piece_bytes_alone))
                  : most_bytes;
}

} // namespace

void direct(const Transfer& transfer)
{
    const bool gets = transfer.kind == Kind::get;
    const gmr::Issue issue = transfer.request.issue;
    in_chunks(
        transfer.shape, most_of(transfer), [&](const Shape& chunk, std::int64_t source, std::int64_t target) {
            const Side from = side_of<&Level::source_stride>(chunk);
            const Side to = side_of<&Level::target_stride>(chunk);
            const Side& here = gets ? to : from;
            const Side& there = gets ? from : to;
            std::byte* const mine = transfer.mine + (gets ? target : source);
            const std::int64_t first = transfer.first + (gets ? source : target);
            const MPI_Datatype element = transfer.kind == Kind::accumulate
                                             ? gmr::remote::mpi_type(transfer.accumulation->element())
                                             : widest_element(here, there,
                                                              reinterpret_cast<std::uintptr_t>(mine) |
                                                                  transfer.reach.at(first).displacement);
            const Described side_here = describe(chunk, here, element);
            const Described side_there = describe(chunk, there, element);
            const gmr::rma::Typed typed{mine, side_here.count, side_here.type, side_there.type,
                                        side_there.count};
            switch (transfer.kind) {
            case Kind::put:
                gmr::remote::put_typed(transfer.reach, transfer.extent, first, typed, issue);
                break;
            case Kind::get:
                gmr::remote::get_typed(transfer.reach, transfer.extent, first, typed, issue);
                break;
            case Kind::accumulate:
                gmr::remote::accumulate_typed(transfer.reach, transfer.extent, first,
                                              transfer.accumulation->element(), typed, issue);
                break;
            }
        });
}

} // namespace armci::strided
