#include "iov/transfer.hpp"

#include "armci/base/stats.hpp"
#include "gmr/accumulate.hpp"
#include "gmr/kernels/copy.hpp"
#include "gmr/target.hpp"

namespace armci::iov {
namespace {

using RemoteSide = void** Descriptor::*;

// Checks the descriptors and finds every remote segment. Adds up the bytes.
int locate_all(const char* call, std::span<const Descriptor> descriptors, int process, RemoteSide remote,
               std::int64_t& total)
{
    total = 0;
    for (const Descriptor& descriptor : descriptors) {
        if (descriptor.bytes < 0 || descriptor.ptr_array_len < 0)
            return diag::reject(call, "a descriptor has %d segments of %d bytes; neither must be negative",
                                descriptor.ptr_array_len, descriptor.bytes);
        if (descriptor.bytes == 0 || descriptor.ptr_array_len == 0) continue;
        if (descriptor.src_ptr_array == nullptr || descriptor.dst_ptr_array == nullptr)
            return diag::reject(call, "an address array is NULL; both must have %d entries", descriptor.ptr_array_len);
        for (int i = 0; i < descriptor.ptr_array_len; ++i) {
            const gmr::Target target = gmr::locate(call, process, (descriptor.*remote)[i],
                                                   static_cast<std::uint64_t>(descriptor.bytes));
            if (target.error != 0) return target.error;
        }
        total += std::int64_t{descriptor.bytes} * descriptor.ptr_array_len;
    }
    return 0;
}

template <class Visit> void each_segment(std::span<const Descriptor> descriptors, Visit visit)
{
    for (const Descriptor& descriptor : descriptors)
        if (descriptor.bytes > 0)
            for (int i = 0; i < descriptor.ptr_array_len; ++i)
                visit(static_cast<const std::byte*>(descriptor.src_ptr_array[i]), static_cast<std::byte*>(descriptor.dst_ptr_array[i]),
                      static_cast<std::size_t>(descriptor.bytes));
}

int copy(const char* call, std::span<const Descriptor> descriptors, int process, RemoteSide remote, stats::Kind kind)
{
    std::int64_t total = 0;
    if (const int error = locate_all(call, descriptors, process, remote, total)) return error;
    each_segment(descriptors, [](const std::byte* source, std::byte* target, std::size_t bytes) {
        gmr::kernels::copy(target, source, bytes);
    });
    stats::count(kind, total);
    return 0;
}

} // namespace

int check(const char* call, const void* descriptors, int count)
{
    if (count < 0) return diag::reject(call, "the number of descriptors is %d; it must not be negative", count);
    if (count > 0 && descriptors == nullptr)
        return diag::reject(call, "the descriptor array is NULL; it must have %d entries", count);
    return 0;
}

int put(const char* call, std::span<const Descriptor> descriptors, int process)
{
    return copy(call, descriptors, process, &Descriptor::dst_ptr_array, stats::Kind::put_vector);
}

int get(const char* call, std::span<const Descriptor> descriptors, int process)
{
    return copy(call, descriptors, process, &Descriptor::src_ptr_array, stats::Kind::get_vector);
}

int accumulate(const char* call, int type, const void* scale, std::span<const Descriptor> descriptors, int process)
{
    gmr::Accumulation accumulation;
    if (const int error = gmr::Accumulation::prepare(call, type, scale, accumulation)) return error;
    std::int64_t total = 0;
    if (const int error = locate_all(call, descriptors, process, &Descriptor::dst_ptr_array, total)) return error;
    for (const Descriptor& descriptor : descriptors)
        for (int i = 0; i < descriptor.ptr_array_len && descriptor.bytes > 0; ++i)
            if (const int error = accumulation.check_segment(call, descriptor.dst_ptr_array[i], descriptor.bytes)) return error;
    gmr::AccumulateLock lock;
    each_segment(descriptors, [&](const std::byte* source, std::byte* target, std::size_t bytes) {
        accumulation.add(lock, target, source, bytes);
    });
    stats::count(stats::Kind::accumulate_vector, total);
    return 0;
}

} // namespace armci::iov
