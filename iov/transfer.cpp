#include "iov/transfer.hpp"

#include "armci/base/stats.hpp"
#include "gmr/accumulate.hpp"
#include "gmr/kernels/copy.hpp"
#include "gmr/remote.hpp"
#include "gmr/target.hpp"

namespace armci::iov {
namespace {

using RemoteSide = void** Descriptor::*;

// Checks the descriptors and finds every remote segment. Adds up the bytes; tells whether the caller's
// addresses are all good for load and store as they are.
int locate_all(const char* call, std::span<const Descriptor> descriptors, int process, RemoteSide remote,
               gmr::Use use, std::int64_t& total, bool& direct)
{
    total = 0;
    direct = true;
    for (const Descriptor& descriptor : descriptors) {
        if (descriptor.bytes < 0 || descriptor.ptr_array_len < 0)
            return diag::reject(call, "a descriptor has %d segments of %d bytes; neither must be negative",
                                descriptor.ptr_array_len, descriptor.bytes);
        if (descriptor.bytes == 0 || descriptor.ptr_array_len == 0)
            continue;
        if (descriptor.src_ptr_array == nullptr || descriptor.dst_ptr_array == nullptr)
            return diag::reject(call, "an address array is NULL; both must have %d entries",
                                descriptor.ptr_array_len);
        for (int i = 0; i < descriptor.ptr_array_len; ++i) {
            const gmr::Target target = gmr::locate(call, process, (descriptor.*remote)[i],
                                                   static_cast<std::uint64_t>(descriptor.bytes), use);
            if (target.error != 0)
                return target.error;
            direct = direct && target.local == (descriptor.*remote)[i];
        }
        total += std::int64_t{descriptor.bytes} * descriptor.ptr_array_len;
    }
    return 0;
}

template <class Visit>
void each_segment(std::span<const Descriptor> descriptors, Visit visit)
{
    for (const Descriptor& descriptor : descriptors)
        if (descriptor.bytes > 0)
            for (int i = 0; i < descriptor.ptr_array_len; ++i)
                visit(static_cast<std::byte*>(descriptor.src_ptr_array[i]),
                      static_cast<std::byte*>(descriptor.dst_ptr_array[i]),
                      static_cast<std::size_t>(descriptor.bytes));
}

// Segments over the network start one after the other and complete together. They were located before, so the
// second look-up reports nothing.
class Stream {
public:
    Stream(const char* call, int process, gmr::Use use, gmr::Issue issue)
        : call_(call), process_(process), use_(use), asked_(issue), each_(issue)
    {
        if (issue.blocking)
            each_ = gmr::Issue::nonblocking(nullptr);
    }
    ~Stream()
    {
        if (asked_.blocking)
            gmr::remote::finish(process_);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    gmr::Issue issue() const { return each_; }
    gmr::Target target(const void* address, std::size_t bytes) const
    {
        return gmr::locate(call_, process_, address, bytes, use_);
    }

private:
    const char* call_;
    int process_;
    gmr::Use use_;
    gmr::Issue asked_;
    gmr::Issue each_;
};

} // namespace

int check(const char* call, const void* descriptors, int count)
{
    if (count < 0)
        return diag::reject(call, "the number of descriptors is %d; it must not be negative", count);
    if (count > 0 && descriptors == nullptr)
        return diag::reject(call, "the descriptor array is NULL; it must have %d entries", count);
    return 0;
}

int put(const char* call, std::span<const Descriptor> descriptors, int process, gmr::Issue issue)
{
    std::int64_t total = 0;
    bool direct = true;
    if (const int error = locate_all(call, descriptors, process, &Descriptor::dst_ptr_array, gmr::Use::plain,
                                     total, direct))
        return error;
    if (direct) {
        each_segment(descriptors, [](const std::byte* source, std::byte* target, std::size_t bytes) {
            gmr::kernels::copy(target, source, bytes);
        });
    } else {
        const Stream stream(call, process, gmr::Use::plain, issue);
        each_segment(descriptors, [&](const std::byte* source, std::byte* target, std::size_t bytes) {
            const gmr::Target to = stream.target(target, bytes);
            if (to.use_load_store())
                gmr::kernels::copy(to.local, source, bytes);
            else
                gmr::remote::put(to, source, bytes, stream.issue());
        });
    }
    stats::count(stats::Kind::put_vector, total, direct);
    return 0;
}

int get(const char* call, std::span<const Descriptor> descriptors, int process, gmr::Issue issue)
{
    std::int64_t total = 0;
    bool direct = true;
    if (const int error = locate_all(call, descriptors, process, &Descriptor::src_ptr_array, gmr::Use::plain,
                                     total, direct))
        return error;
    if (direct) {
        each_segment(descriptors, [](const std::byte* source, std::byte* target, std::size_t bytes) {
            gmr::kernels::copy(target, source, bytes);
        });
    } else {
        const Stream stream(call, process, gmr::Use::plain, issue);
        each_segment(descriptors, [&](const std::byte* source, std::byte* target, std::size_t bytes) {
            const gmr::Target from = stream.target(source, bytes);
            if (from.use_load_store())
                gmr::kernels::copy(target, from.local, bytes);
            else
                gmr::remote::get(from, target, bytes, stream.issue());
        });
    }
    stats::count(stats::Kind::get_vector, total, direct);
    return 0;
}

int accumulate(const char* call, int type, const void* scale, std::span<const Descriptor> descriptors,
               int process, gmr::Issue issue)
{
    gmr::Accumulation accumulation;
    if (const int error = gmr::Accumulation::prepare(call, type, scale, accumulation))
        return error;
    std::int64_t total = 0;
    bool direct = true;
    if (const int error = locate_all(call, descriptors, process, &Descriptor::dst_ptr_array, gmr::Use::atomic,
                                     total, direct))
        return error;
    for (const Descriptor& descriptor : descriptors)
        for (int i = 0; i < descriptor.ptr_array_len && descriptor.bytes > 0; ++i)
            if (const int error =
                    accumulation.check_segment(call, descriptor.dst_ptr_array[i], descriptor.bytes))
                return error;
    gmr::AccumulateLock lock;
    const Stream stream(call, process, gmr::Use::atomic, issue);
    each_segment(descriptors, [&](const std::byte* source, std::byte* target, std::size_t bytes) {
        const gmr::Target to = stream.target(target, bytes);
        if (to.use_load_store())
            accumulation.add(lock, to.local, source, bytes);
        else
            gmr::remote::accumulate(to, accumulation.element(), scale, source, bytes, stream.issue());
    });
    stats::count(stats::Kind::accumulate_vector, total, direct);
    return 0;
}

} // namespace armci::iov
