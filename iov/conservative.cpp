#include "gmr/kernels/copy.hpp"
#include "iov/methods.hpp"

namespace armci::iov {
namespace {

void move(const Request& request, const gmr::Target& remote, std::byte* local, std::uint64_t bytes,
          gmr::Issue issue, gmr::AccumulateLock& lock)
{
    switch (request.kind) {
    case Kind::put:
        if (remote.use_load_store())
            gmr::kernels::copy(remote.local, local, bytes);
        else
            gmr::remote::put(remote, local, bytes, issue);
        break;
    case Kind::get:
        if (remote.use_load_store())
            gmr::kernels::copy(local, remote.local, bytes);
        else
            gmr::remote::get(remote, local, bytes, issue);
        break;
    case Kind::accumulate:
        if (remote.use_load_store())
            request.accumulation->add(lock, remote.local, local, bytes);
        else
            gmr::remote::accumulate(remote, request.accumulation->element(), request.scale, local, bytes,
                                    issue);
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
    each_segment(request, [&](const std::byte* remote, std::byte* local, std::uint64_t bytes) {
        move(request, gmr::locate(request.call, request.process, remote, bytes, request.use()), local, bytes,
             each, lock);
        return true;
    });
    if (request.issue.blocking)
        gmr::remote::finish(request.process);
}

} // namespace armci::iov
