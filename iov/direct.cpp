#include "armci/base/mpi_traits.hpp"
#include "iov/conflict_tree.hpp"
#include "iov/methods.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armci::iov {
namespace {

struct Segment {
    const std::byte* remote;
    std::byte* local;
    std::uint64_t bytes;
};

// Gathers segments into operations.
class Operations {
public:
    // `repeats`: segments may meet one another at the target; those of one operation do not.
    Operations(const Request& request, const Survey& survey, bool repeats)
        : request_(request), survey_(survey),
          each_(request.issue.blocking ? gmr::Issue::nonblocking(nullptr) : request.issue),
          most_blocks_(request.kind == Kind::get ? most_direct_segments : traits::in_use.written_blocks),
          room_(std::min(survey.segments, most_blocks_)), repeats_(repeats)
    {
        start();
        blocks_.sizes.reserve(room_);
        blocks_.addresses.reserve(room_);
        blocks_.displacements.reserve(room_);
    }

    void add(const Segment& one)
    {
        const bool is_full = blocks_.sizes.size() == most_blocks_ || bytes_ + one.bytes > most_direct_bytes;
        if (is_full || !takes(one)) {
            issue();
            takes(one);
        }
        blocks_.sizes.push_back(static_cast<int>(one.bytes));
        blocks_.addresses.push_back(reinterpret_cast<MPI_Aint>(one.local));
        blocks_.displacements.push_back(static_cast<MPI_Aint>(survey_.lowest.displacement) +
                                        (one.remote - survey_.lowest_address));
        bytes_ += one.bytes;
    }

    void issue()
    {
        if (blocks_.sizes.empty())
            return;
        switch (request_.kind) {
        case Kind::put:
            gmr::remote::put_blocks(survey_.lowest, survey_.extent, blocks_, each_);
            break;
        case Kind::get:
            gmr::remote::get_blocks(survey_.lowest, survey_.extent, blocks_, each_);
            break;
        case Kind::accumulate:
            gmr::remote::accumulate_blocks(survey_.lowest, survey_.extent, request_.accumulation->element(),
                                           request_.scale, blocks_, each_);
            break;
        }
        start();
    }

private:
    // False where it meets an earlier one of the operation.
    bool takes(const Segment& one)
    {
        const auto at = reinterpret_cast<std::uintptr_t>(one.remote);
        return !repeats_ || taken_->add(at, at + one.bytes);
    }

    void start()
    {
        blocks_.sizes.clear();
        blocks_.addresses.clear();
        blocks_.displacements.clear();
        bytes_ = 0;
        if (repeats_)
            taken_.emplace(room_);
    }

    const Request& request_;
    const Survey& survey_;
    const gmr::Issue each_;
    const std::size_t most_blocks_;
    const std::size_t room_;
    const bool repeats_;
    std::optional<ConflictTree> taken_; // by the operation that is gathered
    gmr::rma::Blocks blocks_;
    std::uint64_t bytes_ = 0;
};

// First what comes to a place for the first time, then what comes for the second time, and so on: long
// operations without repeats.
std::vector<Segment> in_rounds(const Request& request, const Survey& survey)
{
    std::vector<Segment> segments;
    segments.reserve(survey.segments);
    std::unordered_map<const std::byte*, std::uint32_t> times;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order; // round, index
    order.reserve(survey.segments);
    each_segment(request, [&](const std::byte* remote, std::byte* local, std::uint64_t bytes) {
        order.emplace_back(times[remote]++, static_cast<std::uint32_t>(segments.size()));
        segments.push_back({remote, local, bytes});
        return true;
    });
    std::sort(order.begin(), order.end());
    std::vector<Segment> sorted;
    sorted.reserve(segments.size());
    for (const auto& [round, index] : order)
        sorted.push_back(segments[index]);
    return sorted;
}

} // namespace

void direct(const Request& request, const Survey& survey)
{
    std::size_t which = 0;
    const bool repeats = request.kind == Kind::accumulate && overlap(request, survey, which);
    Operations operations(request, survey, repeats);
    if (repeats)
        for (const Segment& one : in_rounds(request, survey))
            operations.add(one);
    else
        each_segment(request, [&](const std::byte* remote, std::byte* local, std::uint64_t bytes) {
            operations.add({remote, local, bytes});
            return true;
        });
    operations.issue();
    if (request.issue.blocking)
        gmr::remote::finish(request.process);
}

} // namespace armci::iov
