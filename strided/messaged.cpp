#include "gmr/transfer/messaged.hpp"
#include "strided/methods.hpp"
#include "strided/walk.hpp"

namespace armci::strided {

void as_messages(const Transfer& transfer)
{
    const auto add_rows = [&](auto& operation) {
        const Level run = transfer.shape.run();
        walk_runs(transfer.shape, static_cast<const std::byte*>(transfer.request.source),
                  static_cast<std::byte*>(transfer.request.target),
                  [&](const std::byte* from, std::byte* to) {
                      operation.add({to, run.target_stride, from, run.source_stride, run.count,
                                     static_cast<std::size_t>(transfer.shape.segment)});
                  });
    };
    switch (transfer.kind) {
    case Kind::put:
        gmr::remote::send_put(transfer.request.process, add_rows);
        break;
    case Kind::get:
        gmr::remote::send_get(transfer.request.process, transfer.request.issue, add_rows);
        break;
    case Kind::accumulate:
        gmr::remote::send_accumulate(transfer.request.process, transfer.accumulation->element(),
                                     transfer.scale, add_rows);
        break;
    }
}

} // namespace armci::strided
