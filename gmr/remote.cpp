#include "gmr/remote.hpp"

#include "gmr/completion.hpp"
#include "gmr/handle.hpp"
#include "gmr/rma.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace armci::gmr::remote {
namespace {

// Operations without a handle in flight to one target before the oldest must complete locally.
constexpr int most_in_flight = 4096;

// Scaled copies of an accumulate's source go to MPI in buffers of this size.
constexpr std::uint64_t staging_bytes = 128 * 1024;
constexpr std::size_t most_lent = 64;

MPI_Datatype mpi_type(kernels::Element element)
{
    switch (element) {
    case kernels::Element::int_:
        return MPI_INT;
    case kernels::Element::long_:
        return MPI_LONG;
    case kernels::Element::float_:
    case kernels::Element::complex_:
        return MPI_FLOAT; // a sum of complex numbers is a sum of their parts
    default:
        return MPI_DOUBLE;
    }
}

completion::Access access_of(Batch::Kind kind)
{
    switch (kind) {
    case Batch::Kind::put:
        return completion::Access::put;
    case Batch::Kind::get:
        return completion::Access::read;
    default:
        return completion::Access::accumulate;
    }
}

} // namespace

Batch::Batch(Kind kind, const Target& target, std::uint64_t extent, Issue issue)
    : kind_(kind), target_(target), extent_(extent), issue_(issue)
{
    completion::begin(target_, extent_, access_of(kind_));
}

Batch::~Batch()
{
    completion::end(target_, extent_, access_of(kind_));
    if (!target_.window->locks_all())
        return; // end() has completed everything
    if (issue_.blocking && kind_ == Kind::get)
        finish_requests();
    else if (issue_.blocking)
        completion::finish_locally(target_);
    else if (lent_.empty())
        return;
    else if (issue_.handle != nullptr)
        handle::lend(*issue_.handle, std::move(lent_));
    else
        completion::lend(target_, std::move(lent_));
}

void Batch::finish_requests()
{
    for (MPI_Request& request : requests_)
        mpi::finish(request);
    completion::gets_ended(static_cast<int>(requests_.size()));
    requests_.clear();
}

// The buffers are mine again.
void Batch::finish_lent()
{
    completion::finish_locally(target_);
    lent_.clear();
}

// Gets always have requests (gmr/completion.hpp); puts and accumulates without a handle complete by flushes.
rma::Requests* Batch::requests()
{
    if (issue_.blocking)
        return kind_ == Kind::get ? &requests_ : nullptr;
    return issue_.handle != nullptr || kind_ == Kind::get ? &handle::requests(issue_.handle) : nullptr;
}

void Batch::bound(rma::Requests* requests)
{
    if (requests == nullptr) {
        if (++issued_ % most_in_flight == 0)
            completion::finish_locally(target_);
    } else if (!issue_.blocking) {
        handle::bound(issue_.handle);
    } else if (requests->size() >= handle::most_requests) {
        finish_requests();
    }
}

void Batch::put(std::uint64_t offset, const void* source, std::uint64_t bytes)
{
    rma::Requests* const into = requests();
    rma::put(target_.at(static_cast<std::int64_t>(offset)), source, bytes, into);
    bound(into);
}

void Batch::get(std::uint64_t offset, void* destination, std::uint64_t bytes)
{
    rma::Requests* const into = requests();
    const std::size_t before = into->size();
    rma::get(target_.at(static_cast<std::int64_t>(offset)), destination, bytes, into);
    const int added = static_cast<int>(into->size() - before);
    completion::gets_began(added);
    if (!issue_.blocking)
        handle::note_gets(issue_.handle, added);
    bound(into);
}

void Batch::accumulate(std::uint64_t offset, kernels::Element element, const void* scale, const void* source,
                       std::uint64_t bytes)
{
    const Target start = target_.at(static_cast<std::int64_t>(offset));
    if (kernels::is_unit_scale(element, scale)) {
        rma::Requests* const into = requests();
        rma::accumulate(start, mpi_type(element), source, bytes, into);
        bound(into);
        return;
    }
    // A blocking call uses two buffers in turn: one is filled while MPI has the other. A nonblocking one
    // lends all.
    const std::uint64_t unit = std::min(bytes, staging_bytes);
    for (std::uint64_t done = 0; done < bytes; done += unit) {
        const std::uint64_t piece = std::min(unit, bytes - done);
        if (lent_.size() == (issue_.blocking ? 2 : most_lent))
            finish_lent();
        std::byte* const buffer =
            lent_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(piece)).get();
        kernels::scale(element, buffer, static_cast<const std::byte*>(source) + done, piece, scale);
        rma::Requests* const into = requests();
        rma::accumulate(start.at(static_cast<std::int64_t>(done)), mpi_type(element), buffer, piece, into);
        bound(into);
    }
}

void put(const Target& target, const void* source, std::uint64_t bytes, Issue issue)
{
    if (!issue.blocking && issue.handle != nullptr &&
        handle::queue(*issue.handle, handle::Direction::put, target, const_cast<void*>(source), bytes))
        return;
    Batch(Batch::Kind::put, target, bytes, issue).put(0, source, bytes);
}

void get(const Target& target, void* destination, std::uint64_t bytes, Issue issue)
{
    if (!issue.blocking && issue.handle != nullptr &&
        handle::queue(*issue.handle, handle::Direction::get, target, destination, bytes))
        return;
    Batch(Batch::Kind::get, target, bytes, issue).get(0, destination, bytes);
}

void accumulate(const Target& target, kernels::Element element, const void* scale, const void* source,
                std::uint64_t bytes, Issue issue)
{
    Batch(Batch::Kind::accumulate, target, bytes, issue).accumulate(0, element, scale, source, bytes);
}

void finish(int process)
{
    handle::issue_queued(process);
    handle::wait_implicit();
    completion::finish_all_locally(process);
}

void finish_all()
{
    handle::issue_queued(handle::all_processes);
    handle::wait_implicit();
    completion::finish_all_locally();
}

void fence(int process)
{
    handle::issue_queued(process);
    completion::fence(process);
}

void fence_all()
{
    handle::issue_queued(handle::all_processes);
    completion::fence_all();
}

} // namespace armci::gmr::remote
