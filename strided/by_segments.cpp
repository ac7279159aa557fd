#include "gmr/transfer/batch.hpp"
#include "strided/methods.hpp"
#include "strided/walk.hpp"

namespace armci::strided {

using gmr::remote::Batch;

namespace {

void get_all(const Transfer& transfer, bool join_near)
{
    const auto bytes = static_cast<std::uint64_t>(transfer.shape.segment);
    Batch batch(transfer.reach, transfer.extent, bytes, transfer.request.issue, Batch::Kind::get);
    if (join_near)
        batch.join_near_gets();
    walk(transfer.shape, transfer.first, transfer.mine, [&](std::int64_t offset, std::byte* to) {
        batch.get(static_cast<std::uint64_t>(offset), to, bytes);
    });
}

} // namespace

void by_spans(const Transfer& transfer)
{
    get_all(transfer, true);
}

void by_segments(const Transfer& transfer)
{
    const auto bytes = static_cast<std::uint64_t>(transfer.shape.segment);
    const gmr::Issue issue = transfer.request.issue;
    switch (transfer.kind) {
    case Kind::put: {
        Batch batch(transfer.reach, transfer.extent, bytes, issue, Batch::Kind::put);
        walk(transfer.shape, transfer.mine, transfer.first, [&](const std::byte* from, std::int64_t offset) {
            batch.put(static_cast<std::uint64_t>(offset), from, bytes);
        });
        break;
    }
    case Kind::get:
        get_all(transfer, false);
        break;
    case Kind::accumulate: {
        Batch batch(transfer.reach, transfer.extent, bytes, issue, transfer.accumulation->element(),
                    transfer.scale);
        walk(transfer.shape, transfer.mine, transfer.first, [&](const std::byte* from, std::int64_t offset) {
            batch.accumulate(static_cast<std::uint64_t>(offset), from, bytes);
        });
        break;
    }
    }
}

} // namespace armci::strided
