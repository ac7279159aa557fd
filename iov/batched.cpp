#include "gmr/transfer/batch.hpp"
#include "iov/methods.hpp"

#include <optional>

namespace armci::iov {

void batched(const Request& request, const Survey& survey, std::int64_t limit, bool join_near)
{
    using gmr::remote::Batch;
    std::optional<Batch> batch;
    std::int64_t issued = 0;
    each_segment(request, [&](const std::byte* remote, std::byte* local, std::uint64_t bytes) {
        if (limit > 0 && issued == limit) {
            batch.reset();
            issued = 0;
        }
        if (!batch && request.kind == Kind::accumulate)
            batch.emplace(survey.lowest, survey.extent, survey.longest, request.issue,
                          request.accumulation->element(), request.scale);
        else if (!batch)
            batch.emplace(survey.lowest, survey.extent, survey.longest, request.issue,
                          request.kind == Kind::put ? Batch::Kind::put : Batch::Kind::get);
        if (join_near)
            batch->join_near_gets();
        const auto offset = static_cast<std::uint64_t>(remote - survey.lowest_address);
        switch (request.kind) {
        case Kind::put:
            batch->put(offset, local, bytes);
            break;
        case Kind::get:
            batch->get(offset, local, bytes);
            break;
        case Kind::accumulate:
            batch->accumulate(offset, local, bytes);
            break;
        }
        ++issued;
        return true;
    });
}

} // namespace armci::iov
