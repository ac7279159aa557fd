#include "iov/transfer.hpp"
#include "strided/methods.hpp"
#include "strided/walk.hpp"

#include <algorithm>
#include <vector>

namespace armci::strided {
namespace {

// The segments of one vector call: its length is an int, and its arrays should stay small.
constexpr std::int64_t most_segments = 1 << 20;

// Calls send(vector request) for the segments, until one returns an error.
template <class Send>
int in_vectors(const Request& request, const Shape& shape, Kind kind, const gmr::Accumulation* accumulation,
               const void* scale, Send send)
{
    std::vector<void*> sources;
    std::vector<void*> targets;
    const auto count = static_cast<std::size_t>(std::min(shape.segments(), most_segments));
    sources.reserve(count);
    targets.reserve(count);
    int error = 0;
    const auto send_all = [&] {
        const iov::Descriptor all{sources.data(), targets.data(), static_cast<int>(shape.segment),
                                  static_cast<int>(sources.size())};
        if (error == 0)
            error = send(iov::Request{
                request.call, kind, {&all, 1}, request.process, request.issue, accumulation, scale});
        sources.clear();
        targets.clear();
    };
    walk(shape, static_cast<std::byte*>(request.source), static_cast<std::byte*>(request.target),
         [&](std::byte* source, std::byte* target) {
             if (sources.size() == count)
                 send_all();
             sources.push_back(source);
             targets.push_back(target);
         });
    send_all();
    return error;
}

} // namespace

int as_iov(const Transfer& transfer)
{
    return in_vectors(transfer.request, transfer.shape, transfer.kind, transfer.accumulation, transfer.scale,
                      [](const iov::Request& vector) { return iov::transfer(vector); });
}

int add_by_alignment(const Request& request, const Shape& shape, const gmr::Accumulation& accumulation,
                     const void* scale)
{
    return in_vectors(request, shape, Kind::accumulate, &accumulation, scale,
                      [](const iov::Request& vector) { return iov::add_by_alignment(vector); });
}

} // namespace armci::strided
