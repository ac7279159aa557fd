#include "strided/transfer.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/cpu_turn.hpp"
#include "gmr/locate.hpp"
#include "gmr/locked_accumulate.hpp"
#include "gmr/node/accumulate.hpp"
#include "gmr/transfer/elements.hpp"
#include "gmr/transfer/remote.hpp"
#include "strided/methods.hpp"
#include "strided/node_copy.hpp"
#include "strided/shape.hpp"
#include "strided/walk.hpp"

#include <array>
#include <limits>

namespace armci::strided {
namespace {

int shape_of(const Request& request, Shape& shape)
{
    return make_shape(request.call, request.source_stride, request.target_stride, request.count,
                      request.levels, shape);
}

// The remote side: where its reach begins, how long it is, and how far into it the first segment lies.
struct Reached {
    gmr::Target target;
    std::uint64_t extent = 0;
    std::int64_t first = 0;
    bool on_itself = false;
};

// In integers: a wrong shape may begin where no pointer can point.
const void* first_byte(const void* start, const Reach& span)
{
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(start) +
                                         static_cast<std::uintptr_t>(span.below));
}

template <std::int64_t Level::*There, std::int64_t Level::*Here>
Reached locate_reach(const Request& request, const Shape& shape, const void* there, const void* here,
                     gmr::Use use)
{
    const Reach span = reach<There>(shape);
    const void* const first = first_byte(there, span);
    Reached found{gmr::locate(request.call, request.process, first, span.extent(), use), span.extent(),
                  -span.below, false};
    if (found.target.use_load_store() || !found.target.on_my_node) [[likely]]
        return found;
    const Reach mine = reach<Here>(shape);
    found.on_itself =
        gmr::is_on_itself(found.target, first, span.extent(), first_byte(here, mine), mine.extent());
    return found;
}

Reached locate_target(const Request& request, const Shape& shape, gmr::Use use)
{
    return locate_reach<&Level::target_stride, &Level::source_stride>(request, shape, request.target,
                                                                      request.source, use);
}
Reached locate_source(const Request& request, const Shape& shape)
{
    return locate_reach<&Level::source_stride, &Level::target_stride>(request, shape, request.source,
                                                                      request.target, gmr::Use::plain);
}

// Tells who looks of an operation that is over, or on its way.
[[gnu::cold, gnu::noinline]] void saw(const observe::Operation& operation, const Request& request,
                                      const Shape& shape, check::Access access, bool load_store)
{
    if (check::active) {
        check::Operation checked(request.call, access, request.process, request.issue.blocking,
                                 request.issue.handle);
        walk(shape, static_cast<const std::byte*>(request.source),
             static_cast<const std::byte*>(request.target), [&](const std::byte* from, const std::byte* to) {
                 const bool gets = access == check::Access::read;
                 checked.segment(gets ? from : to, gets ? to : from,
                                 static_cast<std::uint64_t>(shape.segment));
             });
        checked.end();
    }
    operation.saw(shape.bytes(), load_store);
}

// The target's strides, or-ed together.
std::uint64_t target_strides(const Shape& shape)
{
    std::uint64_t strides = 0;
    for (int i = 0; i < shape.levels; ++i)
        strides |= static_cast<std::uint64_t>(shape.level[static_cast<std::size_t>(i)].target_stride);
    return strides;
}

// `to` learns what was found for plain use.
int add_under_lock(const Request& request, const Shape& shape, const gmr::Accumulation& accumulation,
                   Reached& to)
{
    to = locate_target(request, shape, gmr::Use::plain);
    if (to.target.error != 0)
        return to.target.error;
    gmr::locked::Turn turn(request.process);
    return under_lock({request, shape, Kind::accumulate, to.target, to.extent, to.first,
                       static_cast<std::byte*>(request.source), to.on_itself, &accumulation},
                      turn);
}

// Where strides are misaligned, some rows may not be, and those must be atomic against all others that are
// aligned.
int accumulate_misaligned(const Request& request, const Shape& shape, const gmr::Accumulation& accumulation,
                          const void* scale)
{
    const observe::Operation operation{request.call, observe::Kind::accumulate_strided, request.process,
                                       request.target};
    Reached to;
    if (gmr::locked::takes_misaligned(accumulation, target_strides(shape)) &&
        shape.segment <= std::numeric_limits<int>::max()) {
        to = locate_target(request, shape, gmr::Use::plain);
        if (to.target.error != 0)
            return to.target.error;
        if (const int error = add_by_alignment(request, shape, accumulation, scale))
            return error;
    } else if (const int error = add_under_lock(request, shape, accumulation, to)) {
        return error;
    }
    if (observe::active) [[unlikely]]
        saw(operation, request, shape, check::Access::atomic, to.target.use_load_store());
    gmr::end_operation(shape.bytes(), to.target.use_load_store());
    return 0;
}

// The strides of a contiguous buffer that takes a shape of these counts.
std::array<std::int64_t, most_levels> packed_strides(int levels, const int* count)
{
    std::array<std::int64_t, most_levels> stride{};
    if (levels < 0 || levels > most_levels || count == nullptr)
        return stride; // make_shape reports it
    std::int64_t bytes = count[0];
    for (int i = 0; i < levels; ++i) {
        stride[static_cast<std::size_t>(i)] = bytes;
        bytes *= count[i + 1];
    }
    return stride;
}

} // namespace

int put_shape(const Request& request)
{
    Shape shape;
    if (const int error = shape_of(request, shape)) [[unlikely]]
        return error;
    if (shape.empty())
        return 0;
    const observe::Operation operation{request.call, observe::Kind::put_strided, request.process,
                                       request.target};
    const Reached to = locate_target(request, shape, gmr::Use::plain);
    const auto* const source = static_cast<const std::byte*>(request.source);
    if (to.target.use_load_store()) [[likely]] {
        copy(shape, source, to.target.local + to.first);
    } else if (to.target.error != 0) {
        return to.target.error;
    } else if (const int error = over_the_network({request, shape, Kind::put, to.target, to.extent, to.first,
                                                   const_cast<std::byte*>(source), to.on_itself})) {
        return error;
    }
    if (observe::active) [[unlikely]]
        saw(operation, request, shape, check::Access::write, to.target.use_load_store());
    gmr::end_operation(shape.bytes(), to.target.use_load_store());
    return 0;
}

int get_shape(const Request& request)
{
    Shape shape;
    if (const int error = shape_of(request, shape)) [[unlikely]]
        return error;
    if (shape.empty())
        return 0;
    const observe::Operation operation{request.call, observe::Kind::get_strided, request.process,
                                       request.source};
    const Reached from = locate_source(request, shape);
    auto* const destination = static_cast<std::byte*>(request.target);
    if (from.target.use_load_store()) [[likely]] {
        copy(shape, from.target.local + from.first, destination);
    } else if (from.target.error != 0) {
        return from.target.error;
    } else if (const int error = over_the_network({request, shape, Kind::get, from.target, from.extent,
                                                   from.first, destination, from.on_itself})) {
        return error;
    }
    if (observe::active) [[unlikely]]
        saw(operation, request, shape, check::Access::read, from.target.use_load_store());
    gmr::end_operation(shape.bytes(), from.target.use_load_store());
    return 0;
}

int accumulate(const Request& request, int type, const void* scale)
{
    gmr::Accumulation accumulation;
    if (const int error = gmr::Accumulation::prepare(request.call, type, scale, accumulation))
        return error;
    Shape shape;
    if (const int error = shape_of(request, shape))
        return error;
    if (shape.empty())
        return 0;
    if (const int error = accumulation.check_size(request.call, request.count[0]))
        return error;
    const std::uint64_t places = target_strides(shape) | reinterpret_cast<std::uintptr_t>(request.target);
    if (gmr::locked::takes_misaligned(accumulation, places))
        return accumulate_misaligned(request, shape, accumulation, scale);
    const observe::Operation operation{request.call, observe::Kind::accumulate_strided, request.process,
                                       request.target};
    gmr::CpuTurn turn(request.process, gmr::remote::access_of(accumulation.element()));
    Reached to = locate_target(request, shape, turn.use());
    if (to.target.error != 0)
        return to.target.error;
    if (turn && !to.target.use_load_store()) { // MPI alone reaches it
        turn.end();
        to = locate_target(request, shape, gmr::Use::atomic);
    }
    const auto* const source = static_cast<const std::byte*>(request.source);
    if (to.target.use_load_store()) {
        gmr::AccumulateLock lock(to.target.local + to.first, request.target);
        const Level run = shape.run();
        walk_runs(shape, source, to.target.local + to.first, [&](const std::byte* from, std::byte* into) {
            accumulation.add_rows(lock, {into, run.target_stride, from, run.source_stride, run.count,
                                         static_cast<std::size_t>(shape.segment)});
        });
    } else if (gmr::locked::takes_network()) {
        const gmr::MpiTurn mpi_turn(request.process, gmr::remote::access_of(accumulation.element()));
        if (const int error = add_under_lock(request, shape, accumulation, to))
            return error;
    } else if (const int error =
                   over_the_network({request, shape, Kind::accumulate, to.target, to.extent, to.first,
                                     const_cast<std::byte*>(source), to.on_itself, &accumulation, scale})) {
        return error;
    }
    turn.end();
    if (observe::active) [[unlikely]]
        saw(operation, request, shape, check::Access::atomic, to.target.use_load_store());
    gmr::end_operation(shape.bytes(), to.target.use_load_store());
    return 0;
}

int pack(const char* call, const void* area, int levels, const int* stride, const int* count, char* buffer)
{
    Shape shape;
    const auto packed = packed_strides(levels, count);
    if (const int error = make_shape(call, stride, packed.data(), count, levels, shape))
        return error;
    if (!shape.empty())
        copy(shape, static_cast<const std::byte*>(area), reinterpret_cast<std::byte*>(buffer));
    return 0;
}

int unpack(const char* call, void* area, int levels, const int* stride, const int* count, const char* buffer)
{
    Shape shape;
    const auto packed = packed_strides(levels, count);
    if (const int error = make_shape(call, packed.data(), stride, count, levels, shape))
        return error;
    if (!shape.empty())
        copy(shape, reinterpret_cast<const std::byte*>(buffer), static_cast<std::byte*>(area));
    return 0;
}

} // namespace armci::strided
