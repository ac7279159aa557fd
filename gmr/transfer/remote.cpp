#include "gmr/transfer/remote.hpp"

#include "gmr/active_messages/active_messages.hpp"
#include "gmr/network/atomics.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/ordering.hpp"
#include "gmr/transfer/batch.hpp"
#include "gmr/transfer/elements.hpp"
#include "gmr/transfer/handle.hpp"
#include "gmr/transfer/queues.hpp"
#include "gmr/transfer/slots.hpp"

#include <algorithm>
#include <utility>

namespace armci::gmr::remote {
namespace {

bool may_be_queued(const Issue& issue)
{
    const bool aggregate = issue.handle != nullptr && issue.handle->aggregate != 0;
    return !issue.blocking && (aggregate || !issue.alone);
}

// One operation on the target, from its ordering to its completion. `staged` is what it reads, if it reads
// copies, and `accumulated` bytes it adds.
template <class Start>
void as_one(const Target& target, std::uint64_t extent, Access access, std::uint64_t accumulated, Issue issue,
            Buffers staged, Start start)
{
    queues::issue_before(target, extent, access, issue.blocking);
    const completion::IssuingGets issuing(is_get(access));
    completion::begin(target, extent, access);
    start();
    completion::end(target, extent, access);
    if (!target.window->locks_all())
        return; // end() has completed it
    if (access == Access::get)
        completion::gets_began(target, 1);
    if (issue.blocking) {
        if (is_get(access))
            completion::finish_locally(target);
        else
            completion::finish_write(target, extent);
        return;
    }
    if (!staged.empty())
        completion::lend(target, std::move(staged));
    completion::left(target, 1, accumulated);
    if (access == Access::get && issue.handle != nullptr)
        handle::take_gets(*issue.handle, target, {});
}

// As rma::pack(), times *scale.
Buffer pack_scaled(kernels::Element element, const void* scale, const rma::Blocks& blocks)
{
    Buffer packed = staging::take(rma::total(blocks));
    std::byte* to = packed.get();
    for (std::size_t i = 0; i < blocks.sizes.size(); ++i) {
        const auto size = static_cast<std::size_t>(blocks.sizes[i]);
        kernels::scale(element, to, reinterpret_cast<const std::byte*>(blocks.addresses[i]), size, scale);
        to += size;
    }
    return packed;
}

} // namespace

namespace {

// The short way of a blocking write that is one segment and ends by a flush.
template <class Start>
bool as_blocking(const Target& target, std::uint64_t bytes, Access access, const Issue& issue, Start start)
{
    if (!issue.blocking || bytes <= most_requested(access))
        return false;
    queues::issue_before(target, bytes, access, true);
    const completion::BlockingWrite epoch(target, bytes, access);
    start();
    return true;
}

} // namespace

void put(const Target& target, const void* source, std::uint64_t bytes, Issue issue)
{
    if (as_blocking(target, bytes, ordering::put_access(bytes), issue,
                    [&] { rma::put(target, source, bytes, nullptr, true); }))
        return;
    if (may_be_queued(issue) &&
        queues::take(issue.handle, Direction::put, target, const_cast<void*>(source), bytes))
        return;
    Batch(target, bytes, bytes, issue, Batch::Kind::put).put(0, source, bytes);
}

void get(const Target& target, void* destination, std::uint64_t bytes, Issue issue)
{
    if (may_be_queued(issue) && queues::take(issue.handle, Direction::get, target, destination, bytes))
        return;
    Batch(target, bytes, bytes, issue, Batch::Kind::get).get(0, destination, bytes);
}

void accumulate(const Target& target, kernels::Element element, const void* scale, const void* source,
                std::uint64_t bytes, Issue issue)
{
    if (kernels::is_unit_scale(element, scale) && as_blocking(target, bytes, access_of(element), issue, [&] {
            rma::accumulate(target, mpi_type(element), kernels::element_alignment(element), source, bytes,
                            nullptr, true);
        }))
        return;
    Batch(target, bytes, bytes, issue, element, scale).accumulate(0, source, bytes);
}

void put_blocks(const Target& target, std::uint64_t extent, const rma::Blocks& blocks, Issue issue)
{
    Buffers staged;
    const std::byte* packed = nullptr;
    if (issue.handle != nullptr)
        packed = staged.emplace_back(rma::pack(blocks)).get();
    as_one(target, extent, Access::put, 0, issue, std::move(staged),
           [&] { rma::put_blocks(target, blocks, packed); });
}

void get_blocks(const Target& target, std::uint64_t extent, const rma::Blocks& blocks, Issue issue)
{
    as_one(target, extent, Access::get, 0, issue, {}, [&] { rma::get_blocks(target, blocks); });
}

void accumulate_blocks(const Target& target, std::uint64_t extent, kernels::Element element,
                       const void* scale, const rma::Blocks& blocks, Issue issue)
{
    Buffers staged;
    if (!kernels::is_unit_scale(element, scale))
        staged.push_back(pack_scaled(element, scale, blocks));
    else if (issue.handle != nullptr)
        staged.push_back(rma::pack(blocks));
    const std::byte* const packed = staged.empty() ? nullptr : staged.front().get();
    as_one(target, extent, access_of(element), rma::total(blocks), staging::much_is_lent() ? Issue{} : issue,
           std::move(staged), [&] { rma::accumulate_blocks(target, mpi_type(element), blocks, packed); });
}

void put_typed(const Target& target, std::uint64_t extent, std::int64_t first, const rma::Typed& typed,
               Issue issue, Buffers staged)
{
    as_one(target, extent, Access::put, 0, issue, std::move(staged),
           [&] { rma::put_typed(target.at(first), typed); });
}

void get_typed(const Target& target, std::uint64_t extent, std::int64_t first, const rma::Typed& typed,
               Issue issue)
{
    as_one(target, extent, Access::get, 0, issue, {}, [&] { rma::get_typed(target.at(first), typed); });
}

void accumulate_typed(const Target& target, std::uint64_t extent, std::int64_t first,
                      kernels::Element element, const rma::Typed& typed, Issue issue, Buffers staged)
{
    const std::uint64_t bytes = mpi::size_of(typed.here) * static_cast<std::uint64_t>(typed.count);
    as_one(target, extent, access_of(element), bytes, staging::much_is_lent() ? Issue{} : issue,
           std::move(staged), [&] { rma::accumulate_typed(target.at(first), typed); });
}

void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result)
{
    queues::issue_before(target, mpi::size_of(type), Access::fetch_and_op, true);
    atomics::fetch_and_op(target, type, op, operand, result);
}

void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result)
{
    queues::issue_before(target, mpi::size_of(type), Access::fetch_and_op, true);
    atomics::compare_and_swap(target, type, compare, replacement, result);
}

namespace {

// Ends operations of a process, or of all, by `end`, and unpacks the gets among them that began before it.
template <class End>
void end_all(int process, End end)
{
    completion::somebody_waits();
    queues::issue_queued(process);
    const std::uint64_t last = slots::landings_begun();
    end();
    slots::land(process, last);
}

} // namespace

void finish(int process)
{
    if (ActiveMessages* const messages = ActiveMessages::the_one())
        messages->finish_gets(process);
    end_all(process, [=] { completion::finish_all_locally(process); });
}

void finish_all()
{
    if (ActiveMessages* const messages = ActiveMessages::the_one())
        messages->finish_gets();
    end_all(all_processes, [] { completion::finish_all_locally(); });
}

void fence(int process)
{
    if (ActiveMessages* const messages = ActiveMessages::the_one())
        messages->fence(process);
    end_all(process, [=] { completion::fence(process); });
}

void fence_all()
{
    if (ActiveMessages* const messages = ActiveMessages::the_one())
        messages->finish_all();
    end_all(all_processes, [] { completion::fence_all(); });
}

} // namespace armci::gmr::remote
