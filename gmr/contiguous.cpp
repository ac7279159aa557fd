#include "gmr/contiguous.hpp"

#include "gmr/staging.hpp"

#include <cinttypes>

namespace armci::gmr {

namespace {

// Whether an operation through MPI would have the same bytes as origin and as target, which MPI leaves
// undefined (MPI-3, 11.3; MPICH aborts).
bool is_on_itself(const Target& target, const void* address, const void* buffer, std::int64_t bytes)
{
    const auto there = reinterpret_cast<std::uintptr_t>(address);
    const auto here = reinterpret_cast<std::uintptr_t>(buffer);
    const auto extent = static_cast<std::uintptr_t>(bytes);
    return target.on_my_node && (there - here < extent || here - there < extent);
}

} // namespace

int reject_size(const char* call, std::int64_t bytes)
{
    return diag::reject(call, "size is %" PRId64 " bytes; it must not be negative", bytes);
}

int put_anywhere(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
                 Issue issue)
{
    if (bytes <= 0)
        return bytes == 0 ? 0 : reject_size(call, bytes);
    const Target target = locate(call, process, destination, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.error != 0)
        return target.error;
    if (target.use_load_store())
        kernels::copy(target.local, source, static_cast<std::size_t>(bytes));
    else if (is_on_itself(target, destination, source, bytes)) {
        const Buffer copy = staging::take(static_cast<std::uint64_t>(bytes));
        kernels::copy(copy.get(), source, static_cast<std::size_t>(bytes));
        remote::put(target, copy.get(), static_cast<std::uint64_t>(bytes), Issue{});
    } else
        remote::put(target, source, static_cast<std::uint64_t>(bytes), issue);
    stats::count(stats::Kind::put, bytes, target.use_load_store());
    return 0;
}

int get_anywhere(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
                 Issue issue)
{
    if (bytes <= 0)
        return bytes == 0 ? 0 : reject_size(call, bytes);
    const Target target = locate(call, process, source, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.error != 0)
        return target.error;
    if (target.use_load_store())
        kernels::copy(destination, target.local, static_cast<std::size_t>(bytes));
    else if (is_on_itself(target, source, destination, bytes)) {
        const Buffer copy = staging::take(static_cast<std::uint64_t>(bytes));
        remote::get(target, copy.get(), static_cast<std::uint64_t>(bytes), Issue{});
        kernels::copy(destination, copy.get(), static_cast<std::size_t>(bytes));
    } else
        remote::get(target, destination, static_cast<std::uint64_t>(bytes), issue);
    stats::count(stats::Kind::get, bytes, target.use_load_store());
    return 0;
}

int accumulate(const char* call, int type, const void* scale, const void* source, void* destination,
               std::int64_t bytes, int process, Issue issue)
{
    Accumulation accumulation;
    if (const int error = Accumulation::prepare(call, type, scale, accumulation))
        return error;
    if (bytes <= 0)
        return bytes == 0 ? 0 : reject_size(call, bytes);
    if (const int error = accumulation.check_segment(call, destination, bytes))
        return error;
    const Target target = locate(call, process, destination, static_cast<std::uint64_t>(bytes), Use::atomic);
    if (target.error != 0)
        return target.error;
    if (target.use_load_store()) {
        AccumulateLock lock;
        accumulation.add(lock, target.local, static_cast<const std::byte*>(source),
                         static_cast<std::size_t>(bytes));
    } else {
        remote::accumulate(target, accumulation.element(), scale, source, static_cast<std::uint64_t>(bytes),
                           issue);
    }
    stats::count(stats::Kind::accumulate, bytes, target.use_load_store());
    return 0;
}

} // namespace armci::gmr
