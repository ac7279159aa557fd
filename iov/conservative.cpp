#include "gmr/contiguous.hpp"
#include "gmr/locate.hpp"
#include "iov/methods.hpp"

namespace armci::iov {
namespace {

void move(const Request& request, std::byte* remote, std::byte* local, std::uint64_t bytes, gmr::Issue issue,
          gmr::AccumulateLock& lock)
{
    const gmr::Target target = gmr::locate(request.call, request.process, remote, bytes, request.use());
    switch (request.kind) {
    case Kind::put:
        gmr::put_located(target, local, remote, bytes, issue);
        break;
    case Kind::get:
        gmr::get_located(target, remote, local, bytes, issue);
        break;
    case Kind::accumulate:
        gmr::accumulate_located(target, *request.accumulation, lock, local, remote, bytes, issue);
        break;
    }
}

} // namespace

// They start one after the other and complete together; location consistency orders those that overlap at the
// target. Gets whose results overlap complete one by one.
void conservative(const Request& request, const Survey& survey)
{
    std::size_t which = 0;
    gmr::Issue each = request.issue.blocking ? gmr::Issue::nonblocking(nullptr) : request.issue;
    if (request.kind == Kind::get && overlap(request, survey, which))
        each = {};
    each.alone = true; // or small ones would be joined
    gmr::AccumulateLock lock;
    each_segment(request, [&](std::byte* remote, std::byte* local, std::uint64_t bytes) {
        move(request, remote, local, bytes, each, lock);
        return true;
    });
    if (request.issue.blocking)
        gmr::remote::finish(request.process);
}

} // namespace armci::iov
