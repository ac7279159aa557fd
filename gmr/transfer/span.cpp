#include "gmr/transfer/span.hpp"

#include <algorithm>
#include <cstring>

namespace armci::gmr {

void Landing::unpack() const
{
    for (const Segment& one : segments_)
        std::memcpy(one.to, buffer_.get() + (one.from - start_), one.bytes);
}

void unpack(Landings& landings)
{
    for (const Landing& one : landings)
        one.unpack();
    landings.clear();
}

bool Span::goes_with(std::uint64_t offset, std::uint64_t bytes) const
{
    if (empty())
        return true;
    if (bytes > most_segment || first().bytes > most_segment)
        return false;
    const std::uint64_t start = std::min(start_, offset);
    const std::uint64_t end = std::max(end_, offset + bytes);
    return end - start <= most_bytes && end - start <= end_ - start_ + bytes + most_gap;
}

void Span::add(std::uint64_t offset, void* destination, std::uint64_t bytes)
{
    start_ = empty() ? offset : std::min(start_, offset);
    end_ = empty() ? offset + bytes : std::max(end_, offset + bytes);
    segments_.push_back({offset, destination, bytes});
}

Landing Span::land(int process)
{
    return {staging::take(bytes()), process, start_, std::exchange(segments_, {})};
}

} // namespace armci::gmr
