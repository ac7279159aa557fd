#include "gmr/memory/warm_pages.hpp"

#include <algorithm>
#include <utility>

namespace armci::gmr {

void WarmPages::take(std::uint64_t first, std::uint64_t bytes)
{
    const std::uint64_t last = first + bytes;
    const auto meets = [&](const Piece& one) { return one.first < last && first < one.last; };
    if (std::none_of(pieces_.begin(), pieces_.end(), meets))
        return;
    for (const Piece& one : std::exchange(pieces_, {})) {
        if (!meets(one)) {
            pieces_.push_back(one);
            continue;
        }
        bytes_ -= one.last - one.first;
        for (const Piece rest : {Piece{one.first, first}, Piece{last, one.last}})
            if (rest.first < rest.last) {
                pieces_.push_back(rest);
                bytes_ += rest.last - rest.first;
            }
    }
}

} // namespace armci::gmr
