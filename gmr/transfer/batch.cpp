#include "gmr/transfer/batch.hpp"

#include "armci/base/mpi_traits.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/ordering.hpp"
#include "gmr/transfer/elements.hpp"
#include "gmr/transfer/handle.hpp"
#include "gmr/transfer/queues.hpp"
#include "gmr/transfer/slots.hpp"

#include <algorithm>
#include <utility>

namespace armci::gmr::remote {
namespace {

// Operations without a handle in flight to one target before the oldest must complete locally.
constexpr int most_in_flight = 4096;
// Gets of a blocking call, which osc/pt2pt searches for each answer.
constexpr int most_gets_in_flight = 64;

// A buffer for the scaled copies of small segments.
constexpr std::uint64_t shared_staging = 256 * 1024;

// The largest scaled copy. Longer ones are made piece by piece in one buffer: over TCP, several smaller ones
// in flight were slower.
constexpr std::uint64_t most_staged = 1 << 22;

// The largest write between two looks at what is outstanding, which may be thousands of calls.
constexpr std::uint64_t most_written = 1 << 30;

// A flush that waits for gets up to this size behind the one that is wanted takes hardly longer.
constexpr std::uint64_t most_in_numbers = 1024;

// Whether gets of a handle go without requests, each of which costs more than its share of a flush where
// several go to one target. They come one by one only where MPI does not take many as one operation.
bool by_one_flush(const Target& target, std::uint64_t extent, std::uint64_t segment)
{
    if (!target.window->locks_all() || !rma::gets_by_spans())
        return false;
    return segment < extent || (extent <= most_in_numbers && completion::gets_come_in_numbers(target));
}

} // namespace

std::uint64_t most_requested(Access access)
{
    switch (access) {
    case Access::get:
    case Access::ordered_get:
        return traits::in_use.get_request_bytes;
    case Access::put:
    case Access::ordered_put:
        return ordering::by_accumulates() ? traits::in_use.accumulate_request_bytes : 0;
    default:
        return traits::in_use.accumulate_request_bytes;
    }
}

Batch::Batch(const Target& target, std::uint64_t extent, std::uint64_t segment, Issue issue, Kind kind)
    : Batch(kind, kind == Kind::put ? ordering::put_access(segment) : ordering::get_access(), target, extent,
            segment, issue)
{
}

Batch::Batch(const Target& target, std::uint64_t extent, std::uint64_t segment, Issue issue,
             kernels::Element element, const void* scale)
    : Batch(Kind::accumulate, access_of(element), target, extent, segment,
            staging::much_is_lent() ? Issue{} : issue)
{
    element_ = element;
    scale_ = scale;
    unit_scale_ = kernels::is_unit_scale(element, scale);
    type_ = mpi_type(element);
    unit_ = kernels::element_alignment(element); // complex ones are added as pairs
}

Batch::Batch(Kind kind, Access access, const Target& target, std::uint64_t extent, std::uint64_t segment,
             Issue issue)
    : kind_(kind), target_(target), extent_(extent), access_(access), issue_(issue),
      issuing_(kind == Kind::get), alone_(issue.blocking && segment == extent),
      // A request is the quickest end of one operation, a flush that of many.
      with_requests_(issue.handle != nullptr
                         ? kind != Kind::get || !by_one_flush(target, extent, segment)
                         : alone_ && !target.completes_at_once() && segment <= most_requested(access))
{
    queues::issue_before(target_, extent_, access_, issue_.blocking);
    completion::begin(target_, extent_, access_);
}

void Batch::join_near_gets()
{
    joins_near_ = true;
}

Batch::~Batch()
{
    if (issue_.handle != nullptr && !has_issued_)
        with_requests_ = true; // all is one span
    issue_span();
    end();
}

void Batch::end()
{
    completion::end(target_, extent_, access_);
    if (!target_.window->locks_all()) {
        unpack(landings_); // end() has completed everything
        return;
    }
    if (issue_.handle != nullptr && with_requests_) {
        handle::take(*issue_.handle, requests_, kind_ == Kind::get,
                     {std::move(staged_), std::move(landings_)});
        if (bytes_ > 0)
            completion::left(target_, 0, bytes_);
    } else if (issue_.handle != nullptr) {
        leave_plain();
        handle::take_gets(*issue_.handle, target_, std::move(landings_));
    } else if (with_requests_)
        finish_requests();
    else if (issue_.blocking && kind_ != Kind::get)
        completion::finish_write(target_, extent_);
    else if (issue_.blocking || !landings_.empty())
        finish_plain();
    else
        leave_plain();
}

// What is without requests completes by a flush: now, or when somebody asks for it.
void Batch::finish_plain()
{
    count_plain();
    completion::finish_locally(target_);
    unpack(landings_);
}
void Batch::leave_plain()
{
    if (!staged_.empty())
        completion::lend(target_, std::move(staged_));
    const int operations = plain_;
    count_plain(); // first, as too many that are left are flushed
    completion::left(target_, operations, bytes_);
}
void Batch::count_plain()
{
    const int count = std::exchange(plain_, 0);
    if (kind_ == Kind::get)
        completion::gets_began(target_, count);
}

void Batch::finish_requests()
{
    const int gets = kind_ == Kind::get ? static_cast<int>(requests_.size()) : 0;
    completion::gets_began(gets);
    for (MPI_Request& request : requests_)
        mpi::finish(request);
    completion::gets_ended(gets);
    requests_.clear();
    unpack(landings_);
}

// After each operation, which may be several calls of MPI: bounds what is outstanding.
void Batch::issued(int calls)
{
    has_issued_ = true;
    if (!with_requests_) {
        const bool gets = kind_ == Kind::get && (issue_.blocking || joins_near_ || issue_.handle != nullptr);
        plain_ += calls;
        if (plain_ >= (gets ? most_gets_in_flight : most_in_flight))
            finish_plain();
    } else if (requests_.size() >= slots::most_requests) {
        if (issue_.blocking || joins_near_)
            finish_requests();
        else
            handle::take(*issue_.handle, requests_, kind_ == Kind::get, {std::move(staged_), {}});
    }
}

// Issues parts of at most `most` bytes.
template <class Write>
void Batch::in_parts(std::uint64_t bytes, std::uint64_t most, Write write)
{
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t part = std::min(bytes - done, most);
        write(done, part);
        issued(kind_ == Kind::accumulate ? rma::calls_of_accumulate(part) : rma::calls_of_transfer(part));
        done += part;
    }
}

void Batch::put(std::uint64_t offset, const void* source, std::uint64_t bytes)
{
    in_parts(bytes, most_written, [&](std::uint64_t done, std::uint64_t part) {
        rma::put(target_.at(static_cast<std::int64_t>(offset + done)),
                 static_cast<const std::byte*>(source) + done, part, requests(), alone_);
    });
}

void Batch::get(std::uint64_t offset, void* destination, std::uint64_t bytes)
{
    if (joins_near_) {
        if (!span_.goes_with(offset, bytes))
            issue_span();
        span_.add(offset, destination, bytes);
        return;
    }
    rma::get(target_.at(static_cast<std::int64_t>(offset)), destination, bytes, requests());
    issued(rma::calls_of_transfer(bytes));
}

void Batch::issue_span()
{
    if (span_.empty())
        return;
    const Target start = target_.at(static_cast<std::int64_t>(span_.start()));
    const std::uint64_t bytes = span_.bytes();
    if (span_.is_one_segment()) {
        rma::get(start, span_.first().to, bytes, requests());
        span_.clear();
    } else {
        landings_.push_back(span_.land(target_.process));
        rma::get(start, landings_.back().buffer(), bytes, requests());
    }
    issued();
}

void Batch::accumulate(std::uint64_t offset, const void* source, std::uint64_t bytes)
{
    const Target start = target_.at(static_cast<std::int64_t>(offset));
    bytes_ += bytes;
    if (unit_scale_) {
        in_parts(bytes, most_written, [&](std::uint64_t done, std::uint64_t part) {
            rma::accumulate(start.at(static_cast<std::int64_t>(done)), type_, unit_,
                            static_cast<const std::byte*>(source) + done, part, requests(), alone_);
        });
        return;
    }
    in_parts(bytes, most_staged, [&](std::uint64_t done, std::uint64_t part) {
        std::byte* const copy = stage(part);
        kernels::scale(element_, copy, static_cast<const std::byte*>(source) + done, part, scale_);
        rma::accumulate(start.at(static_cast<std::int64_t>(done)), type_, unit_, copy, part, requests(),
                        alone_);
    });
}

// Room for a scaled copy. The first is as large as asked; where more follow, they share large ones.
std::byte* Batch::stage(std::uint64_t bytes)
{
    if (!staged_.empty() && staged_.back().get_deleter().bytes - used_ >= bytes)
        return staged_.back().get() + std::exchange(used_, used_ + bytes);
    if (!staged_.empty() && staging::much_is_lent()) {
        if (with_requests_ && target_.window->locks_all())
            finish_requests();
        else
            completion::finish_locally(target_);
        staged_.clear();
    }
    const bool first = staged_.empty() && used_ == 0;
    used_ = bytes;
    return staged_.emplace_back(staging::take(first ? bytes : std::max(bytes, shared_staging))).get();
}

} // namespace armci::gmr::remote
