#include "gmr/contiguous.hpp"
#include "strided/methods.hpp"
#include "strided/walk.hpp"

namespace armci::strided {

// They start one after the other and complete together; location consistency orders those that overlap at the
// target. Gets whose results overlap complete one by one.
void one_by_one(const Transfer& transfer)
{
    const bool blocking = transfer.request.issue.blocking;
    gmr::Issue each = blocking ? gmr::Issue::nonblocking(nullptr) : transfer.request.issue;
    if (transfer.kind == Kind::get && may_overlap<&Level::target_stride>(transfer.shape))
        each = {};
    each.alone = true; // or small ones would be joined
    const auto bytes = static_cast<std::uint64_t>(transfer.shape.segment);
    auto* const first_source = static_cast<std::byte*>(transfer.request.source);
    auto* const first_target = static_cast<std::byte*>(transfer.request.target);
    gmr::AccumulateLock lock;
    walk(transfer.shape, first_source, first_target, [&](std::byte* source, std::byte* target) {
        const std::int64_t offset =
            transfer.kind == Kind::get ? source - first_source : target - first_target;
        const gmr::Target remote = transfer.reach.at(transfer.first + offset);
        switch (transfer.kind) {
        case Kind::put:
            gmr::put_located(remote, source, target, bytes, each);
            break;
        case Kind::get:
            gmr::get_located(remote, source, target, bytes, each);
            break;
        case Kind::accumulate:
            gmr::accumulate_located(remote, *transfer.accumulation, lock, source, target, bytes, each);
            break;
        }
    });
    if (blocking)
        gmr::remote::finish(transfer.request.process);
}

} // namespace armci::strided
