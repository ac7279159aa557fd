#include "gmr/transfer/messaged.hpp"
#include "iov/methods.hpp"

namespace armci::iov {

void as_messages(const Request& request)
{
    const auto add_rows = [&](auto& operation) {
        each_segment(request, [&](std::byte* remote, std::byte* local, std::uint64_t bytes) {
            const bool gets = request.kind == Kind::get;
            operation.add({gets ? local : remote, 0, gets ? remote : local, 0, 1, bytes});
            return true;
        });
    };
    switch (request.kind) {
    case Kind::put:
        gmr::remote::send_put(request.process, add_rows);
        break;
    case Kind::get:
        gmr::remote::send_get(request.process, request.issue, add_rows);
        break;
    case Kind::accumulate:
        gmr::remote::send_accumulate(request.process, request.accumulation->element(), request.scale,
                                     add_rows);
        break;
    }
}

} // namespace armci::iov
