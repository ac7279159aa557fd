#include "armci/base/mpi_quirks.hpp"
#include "iov/methods.hpp"

#include <algorithm>

namespace armci::iov {
namespace {

void issue(const Request& request, const Survey& survey, gmr::rma::Blocks& blocks, gmr::Issue each)
{
    if (blocks.sizes.empty())
        return;
    switch (request.kind) {
    case Kind::put:
        gmr::remote::put_blocks(survey.lowest, survey.extent, blocks, each);
        break;
    case Kind::get:
        gmr::remote::get_blocks(survey.lowest, survey.extent, blocks, each);
        break;
    case Kind::accumulate:
        gmr::remote::accumulate_blocks(survey.lowest, survey.extent, request.accumulation->element(),
                                       request.scale, blocks, each);
        break;
    }
    blocks.sizes.clear();
    blocks.addresses.clear();
    blocks.displacements.clear();
}

} // namespace

void direct(const Request& request, const Survey& survey)
{
    const gmr::Issue each = request.issue.blocking ? gmr::Issue::nonblocking(nullptr) : request.issue;
    const std::size_t most_blocks =
        request.kind == Kind::accumulate ? quirks::most_accumulated_blocks() : most_direct_segments;
    gmr::rma::Blocks blocks;
    const std::size_t room = std::min(survey.segments, most_blocks);
    blocks.sizes.reserve(room);
    blocks.addresses.reserve(room);
    blocks.displacements.reserve(room);
    std::uint64_t joined = 0;
    each_segment(request, [&](const std::byte* remote, std::byte* local, std::uint64_t bytes) {
        if (blocks.sizes.size() == most_blocks || joined + bytes > most_direct_bytes) {
            issue(request, survey, blocks, each);
            joined = 0;
        }
        blocks.sizes.push_back(static_cast<int>(bytes));
        blocks.addresses.push_back(reinterpret_cast<MPI_Aint>(local));
        blocks.displacements.push_back(static_cast<MPI_Aint>(survey.lowest.displacement) +
                                       (remote - survey.lowest_address));
        joined += bytes;
        return true;
    });
    issue(request, survey, blocks, each);
    if (request.issue.blocking)
        gmr::remote::finish(request.process);
}

} // namespace armci::iov
