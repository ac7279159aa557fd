#include "gmr/network/staging.hpp"
#include "gmr/node/kernels/accumulate.hpp"
#include "gmr/transfer/elements.hpp"
#include "strided/datatype.hpp"
#include "strided/methods.hpp"
#include "strided/node_copy.hpp"
#include "strided/walk.hpp"

#include <utility>

namespace armci::strided {

void packed(const Transfer& transfer)
{
    const gmr::Issue each =
        transfer.request.issue.blocking ? gmr::Issue::nonblocking(nullptr) : transfer.request.issue;
    in_chunks(
        transfer.shape, most_packed_bytes, [&](const Shape& chunk, std::int64_t source, std::int64_t target) {
            gmr::Buffers staged;
            std::byte* const copies =
                staged.emplace_back(gmr::staging::take(static_cast<std::uint64_t>(chunk.bytes()))).get();
            const std::byte* const from = transfer.mine + source;
            const std::int64_t first = transfer.first + target;
            if (transfer.kind == Kind::put) {
                copy(packing(chunk), from, copies);
                const Side to = side_of<&Level::target_stride>(chunk);
                const MPI_Datatype element = widest_element(to, to, transfer.reach.at(first).displacement);
                const Described there = describe(chunk, to, element);
                gmr::remote::put_typed(
                    transfer.reach, transfer.extent, first,
                    {copies, elements_in(chunk, element), element, there.type, there.count}, each,
                    std::move(staged));
                return;
            }
            const gmr::kernels::Element kind = transfer.accumulation->element();
            const MPI_Datatype element = gmr::remote::mpi_type(kind);
            if (transfer.accumulation->has_unit_scale())
                copy(packing(chunk), from, copies);
            else
                walk(packing(chunk), from, copies, [&](const std::byte* segment, std::byte* to) {
                    gmr::kernels::scale(kind, to, segment, static_cast<std::size_t>(chunk.segment),
                                        transfer.scale);
                });
            const Described there = describe(chunk, side_of<&Level::target_stride>(chunk), element);
            gmr::remote::accumulate_typed(
                transfer.reach, transfer.extent, first, kind,
                {copies, elements_in(chunk, element), element, there.type, there.count}, each,
                std::move(staged));
        });
    if (transfer.request.issue.blocking)
        gmr::remote::finish(transfer.request.process);
}

} // namespace armci::strided
