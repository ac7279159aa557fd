#include "gmr/contiguous.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/cpu_turn.hpp"
#include "gmr/locate.hpp"
#include "gmr/locked_accumulate.hpp"
#include "gmr/network/staging.hpp"
#include "gmr/transfer/elements.hpp"
#include "gmr/transfer/messaged.hpp"

#include <cinttypes>

namespace armci::gmr {

int reject_size(const char* call, std::int64_t bytes)
{
    return diag::reject(call, "size is %" PRId64 " bytes; it must not be negative", bytes);
}

namespace {

kernels::Rows one_row(void* to, const void* from, std::uint64_t bytes)
{
    return {static_cast<std::byte*>(to), 0, static_cast<const std::byte*>(from), 0, 1, bytes};
}

} // namespace

void put_located(const Target& target, const void* source, void* destination, std::uint64_t bytes,
                 Issue issue)
{
    if (target.use_load_store()) {
        kernels::copy(target.local, source, bytes);
    } else if (remote::sends_messages()) {
        remote::send_put(target.process, [&](auto& put) { put.add(one_row(destination, source, bytes)); });
    } else if (is_on_itself(target, destination, bytes, source, bytes)) {
        const Buffer copy = staging::take(bytes);
        kernels::copy(copy.get(), source, bytes);
        remote::put(target, copy.get(), bytes, Issue{});
    } else {
        remote::put(target, source, bytes, issue);
    }
}

void get_located(const Target& target, const void* source, void* destination, std::uint64_t bytes,
                 Issue issue)
{
    if (target.use_load_store()) {
        kernels::copy(destination, target.local, bytes);
    } else if (remote::sends_messages()) {
        remote::send_get(target.process, issue,
                         [&](auto& get) { get.add(one_row(destination, source, bytes)); });
    } else if (is_on_itself(target, source, bytes, destination, bytes)) {
        const Buffer copy = staging::take(bytes);
        remote::get(target, copy.get(), bytes, Issue{});
        kernels::copy(destination, copy.get(), bytes);
    } else {
        remote::get(target, destination, bytes, issue);
    }
}

void accumulate_located(const Target& target, const Accumulation& accumulation, AccumulateLock& lock,
                        const void* source, void* destination, std::uint64_t bytes, Issue issue)
{
    if (target.use_load_store()) {
        accumulation.add(lock, target.local, static_cast<const std::byte*>(source), bytes);
    } else if (remote::sends_messages()) {
        remote::send_accumulate(target.process, accumulation.element(), accumulation.scale(),
                                [&](auto& sums) { sums.add(one_row(destination, source, bytes)); });
    } else if (is_on_itself(target, destination, bytes, source, bytes)) {
        const Buffer copy = staging::take(bytes);
        kernels::copy(copy.get(), source, bytes);
        remote::accumulate(target, accumulation.element(), accumulation.scale(), copy.get(), bytes, Issue{});
    } else {
        remote::accumulate(target, accumulation.element(), accumulation.scale(), source, bytes, issue);
    }
}

namespace {

// Tells who looks of an operation that is over, or on its way.
[[gnu::cold, gnu::noinline]] void saw(const observe::Operation& operation, check::Access access,
                                      const void* local, std::int64_t bytes, bool load_store, Issue issue)
{
    if (check::active)
        check::operation(operation.call, access, operation.process, operation.address, local,
                         static_cast<std::uint64_t>(bytes), issue.blocking, issue.handle);
    operation.saw(bytes, load_store);
}

} // namespace

int put_anywhere(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
                 Issue issue)
{
    if (bytes <= 0)
        return bytes == 0 ? 0 : reject_size(call, bytes);
    const observe::Operation operation{call, observe::Kind::put, process, destination};
    const Target target = locate(call, process, destination, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.error != 0)
        return target.error;
    put_located(target, source, destination, static_cast<std::uint64_t>(bytes), issue);
    if (observe::active) [[unlikely]]
        saw(operation, check::Access::write, source, bytes, target.use_load_store(), issue);
    end_operation(bytes, target.use_load_store());
    return 0;
}

int get_anywhere(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
                 Issue issue)
{
    if (bytes <= 0)
        return bytes == 0 ? 0 : reject_size(call, bytes);
    const observe::Operation operation{call, observe::Kind::get, process, source};
    const Target target = locate(call, process, source, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.error != 0)
        return target.error;
    get_located(target, source, destination, static_cast<std::uint64_t>(bytes), issue);
    if (observe::active) [[unlikely]]
        saw(operation, check::Access::read, destination, bytes, target.use_load_store(), issue);
    end_operation(bytes, target.use_load_store());
    return 0;
}

namespace {

// `target` learns what was found for plain use.
int add_under_lock(const char* call, const Accumulation& accumulation, const void* source, void* destination,
                   std::int64_t bytes, int process, Target& target)
{
    target = locate(call, process, destination, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.error == 0)
        locked::Turn(process).add(target, accumulation, source, destination,
                                  static_cast<std::uint64_t>(bytes));
    return target.error;
}

int accumulate_misaligned(const char* call, const Accumulation& accumulation, const void* source,
                          void* destination, std::int64_t bytes, int process)
{
    const observe::Operation operation{call, observe::Kind::accumulate, process, destination};
    Target target;
    if (const int error = add_under_lock(call, accumulation, source, destination, bytes, process, target))
        return error;
    if (observe::active) [[unlikely]]
        saw(operation, check::Access::atomic, source, bytes, target.use_load_store(), Issue{});
    end_operation(bytes, target.use_load_store());
    return 0;
}

} // namespace

int accumulate(const char* call, int type, const void* scale, const void* source, void* destination,
               std::int64_t bytes, int process, Issue issue)
{
    Accumulation accumulation;
    if (const int error = Accumulation::prepare(call, type, scale, accumulation))
        return error;
    if (bytes <= 0)
        return bytes == 0 ? 0 : reject_size(call, bytes);
    if (const int error = accumulation.check_size(call, bytes))
        return error;
    if (peers.cpu_atomics && at_hand(process, destination, static_cast<std::uint64_t>(bytes))) [[likely]] {
        AccumulateLock lock;
        accumulation.add(lock, static_cast<std::byte*>(destination), static_cast<const std::byte*>(source),
                         static_cast<std::size_t>(bytes));
        return 0;
    }
    if (locked::takes_misaligned(accumulation, reinterpret_cast<std::uintptr_t>(destination)))
        return accumulate_misaligned(call, accumulation, source, destination, bytes, process);
    const observe::Operation operation{call, observe::Kind::accumulate, process, destination};
    CpuTurn turn(process, remote::access_of(accumulation.element()));
    Target target = locate_atomic(call, process, destination, static_cast<std::uint64_t>(bytes), turn);
    if (target.error != 0)
        return target.error;
    if (!target.use_load_store() && locked::takes_network()) {
        const MpiTurn mpi_turn(process, remote::access_of(accumulation.element()));
        if (const int error = add_under_lock(call, accumulation, source, destination, bytes, process, target))
            return error;
    } else {
        AccumulateLock lock(target.local, destination);
        accumulate_located(target, accumulation, lock, source, destination, static_cast<std::uint64_t>(bytes),
                           issue);
    }
    turn.end();
    if (observe::active) [[unlikely]]
        saw(operation, check::Access::atomic, source, bytes, target.use_load_store(), issue);
    end_operation(bytes, target.use_load_store());
    return 0;
}

} // namespace armci::gmr
