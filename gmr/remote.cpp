#include "gmr/remote.hpp"

#include "gmr/completion.hpp"
#include "gmr/handle.hpp"
#include "gmr/rma.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace armci::gmr::remote {
namespace {

// Operations without a handle in flight to one target before the oldest must complete locally.
constexpr int most_in_flight = 4096;

// Scaled copies of an accumulate's source go through two buffers in turn: one is filled while MPI has the other.
constexpr std::uint64_t staging_bytes = 128 * 1024;

MPI_Datatype mpi_type(kernels::Element element)
{
    switch (element) {
    case kernels::Element::int_: return MPI_INT;
    case kernels::Element::long_: return MPI_LONG;
    case kernels::Element::float_:
    case kernels::Element::complex_: return MPI_FLOAT; // a sum of complex numbers is a sum of their parts
    default: return MPI_DOUBLE;
    }
}

completion::Access access_of(Batch::Kind kind)
{
    switch (kind) {
    case Batch::Kind::put: return completion::Access::put;
    case Batch::Kind::get: return completion::Access::read;
    default: return completion::Access::accumulate;
    }
}

rma::Requests* requests_of(const Issue& issue)
{
    return issue.blocking || issue.handle == nullptr ? nullptr : &handle::requests(*issue.handle);
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
    if (issue_.blocking && target_.window->locks_all()) completion::finish_locally(target_);
}

void Batch::bound()
{
    if (issue_.handle != nullptr && !issue_.blocking) {
        handle::bound(*issue_.handle);
    } else if (++issued_ % most_in_flight == 0) {
        completion::finish_locally(target_);
    }
}

void Batch::put(std::uint64_t offset, const void* source, std::uint64_t bytes)
{
    rma::put(target_.at(static_cast<std::int64_t>(offset)), source, bytes, requests_of(issue_));
    bound();
}

void Batch::get(std::uint64_t offset, void* destination, std::uint64_t bytes)
{
    rma::get(target_.at(static_cast<std::int64_t>(offset)), destination, bytes, requests_of(issue_));
    bound();
}

void Batch::accumulate(std::uint64_t offset, kernels::Element element, const void* scale, const void* source,
                       std::uint64_t bytes)
{
    const Target start = target_.at(static_cast<std::int64_t>(offset));
    if (kernels::is_unit_scale(element, scale)) {
        rma::accumulate(start, mpi_type(element), source, bytes, requests_of(issue_));
        bound();
        return;
    }
    // The staging buffers do not outlive the call, so a scaled accumulate completes locally whatever was asked.
    const std::uint64_t unit = std::min(bytes, staging_bytes);
    const auto staging = std::make_unique<std::byte[]>(2 * unit);
    unsigned turn = 0;
    for (std::uint64_t done = 0; done < bytes; done += unit, turn ^= 1) {
        const std::uint64_t piece = std::min(unit, bytes - done);
        std::byte* const buffer = staging.get() + turn * unit;
        if (done >= 2 * unit) completion::finish_locally(target_); // MPI had this one two pieces ago
        kernels::scale(element, buffer, static_cast<const std::byte*>(source) + done, piece, scale);
        rma::accumulate(start.at(static_cast<std::int64_t>(done)), mpi_type(element), buffer, piece);
    }
    completion::finish_locally(target_);
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

} // namespace armci::gmr::remote
