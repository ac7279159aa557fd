#include "iov/transfer.hpp"
#include "strided/methods.hpp"
#include "strided/walk.hpp"

#include <algorithm>
#include <vector>

namespace armci::strided {
namespace {

// The segments of one vector call: its length is an int, and its arrays should stay small.
constexpr std::int64_t most_segments = 1 << 20;

} // namespace

int as_iov(const Transfer& transfer)
{
    const Request& request = transfer.request;
    std::vector<void*> sources;
    std::vector<void*> targets;
    const auto count = static_cast<std::size_t>(std::min(transfer.shape.segments(), most_segments));
    sources.reserve(count);
    targets.reserve(count);
    int error = 0;
    const auto send = [&] {
        const iov::Descriptor all{sources.data(), targets.data(), static_cast<int>(transfer.shape.segment),
                                  static_cast<int>(sources.size())};
        if (error == 0)
            error = iov::transfer({request.call,
                                   transfer.kind,
                                   {&all, 1},
                                   request.process,
                                   request.issue,
                                   transfer.accumulation,
                                   transfer.scale});
        sources.clear();
        targets.clear();
    };
    walk(transfer.shape, static_cast<std::byte*>(request.source), static_cast<std::byte*>(request.target),
         [&](std::byte* source, std::byte* target) {
             if (sources.size() == count)
                 send();
             sources.push_back(source);
             targets.push_back(target);
         });
    send();
    return error;
}

} // namespace armci::strided
