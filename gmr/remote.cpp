#include "gmr/remote.hpp"

#include "armci/base/mpi_traits.hpp"
#include "gmr/completion.hpp"
#include "gmr/handle.hpp"
#include "gmr/queues.hpp"
#include "gmr/slots.hpp"

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

// Up to this size a blocking operation is faster by a request than by a flush.
std::uint64_t most_requested(Access access)
{
    switch (access) {
    case Access::get:
    case Access::ordered_get:
        return traits::in_use.get_request_bytes;
    case Access::put:
    case Access::ordered_put:
        return completion::by_accumulates() ? traits::in_use.accumulate_request_bytes : 0;
    default:
        return traits::in_use.accumulate_request_bytes;
    }
}

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
    completion::begin(target, extent, access);
    start();
    completion::end(target, extent, access);
    if (!target.window->locks_all())
        return; // end() has completed it
    if (access == Access::get)
        completion::gets_began(target, 1);
    if (issue.blocking) {
        if (access == Access::get || access == Access::ordered_get)
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

// A flush that waits for gets up to this size behind the one that is wanted takes hardly longer.
constexpr std::uint64_t most_in_numbers = 1024;

// Whether gets of a handle go without requests, each of which costs more than its share of a flush where
// several go to one target. They come one by one only where MPI does not take many as one operation.
bool by_one_flush(const Target& target, std::uint64_t extent, std::uint64_t segment)
{
    if (!target.window->locks_all() || rma::joins_blocks())
        return false;
    return segment < extent || (extent <= most_in_numbers && completion::gets_come_in_numbers(target));
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

Batch::Batch(const Target& target, std::uint64_t extent, std::uint64_t segment, Issue issue, Kind kind)
    : Batch(kind, kind == Kind::put ? completion::put_access(segment) : completion::get_access(), target,
            extent, segment, issue)
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
      alone_(issue.blocking && segment == extent),
      // A request is the quickest end of one operation, a flush that of many.
      with_requests_(issue.handle != nullptr
                         ? kind != Kind::get || !by_one_flush(target, extent, segment)
                         : alone_ && !target.completes_at_once() && segment <= most_requested(access))
{
    queues::issue_before(target_, extent_, access_, issue_.blocking);
    completion::begin(target_, extent_, access_);
}

// From now on a flush by another thread brings the gets, too.
void Batch::join_near_gets()
{
    if (!std::exchange(joins_near_, true))
        completion::gets_began(1);
}

Batch::~Batch()
{
    if (issue_.handle != nullptr && !has_issued_)
        with_requests_ = true; // all is one span
    issue_span();
    end();
    if (joins_near_)
        completion::gets_ended(1);
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
    completion::left(target_, plain_, bytes_);
    count_plain();
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

// After each operation: bounds what is outstanding.
void Batch::issued()
{
    has_issued_ = true;
    if (!with_requests_) {
        const bool gets = kind_ == Kind::get && (issue_.blocking || joins_near_ || issue_.handle != nullptr);
        if (++plain_ == (gets ? most_gets_in_flight : most_in_flight))
            finish_plain();
    } else if (requests_.size() >= slots::most_requests) {
        if (issue_.blocking || joins_near_)
            finish_requests();
        else
            handle::take(*issue_.handle, requests_, kind_ == Kind::get, {std::move(staged_), {}});
    }
}

void Batch::put(std::uint64_t offset, const void* source, std::uint64_t bytes)
{
    rma::put(target_.at(static_cast<std::int64_t>(offset)), source, bytes, requests(), alone_);
    issued();
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
    issued();
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
        rma::accumulate(start, type_, unit_, source, bytes, requests(), alone_);
        issued();
        return;
    }
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t piece = std::min(bytes - done, most_staged);
        std::byte* const copy = stage(piece);
        kernels::scale(element_, copy, static_cast<const std::byte*>(source) + done, piece, scale_);
        rma::accumulate(start.at(static_cast<std::int64_t>(done)), type_, unit_, copy, piece, requests(),
                        alone_);
        issued();
        done += piece;
    }
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
    if (as_blocking(target, bytes, completion::put_access(bytes), issue,
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

Access access_of(kernels::Element element)
{
    switch (element) {
    case kernels::Element::int_:
        return Access::accumulate_int;
    case kernels::Element::long_:
        return Access::accumulate_long;
    case kernels::Element::float_:
    case kernels::Element::complex_:
        return Access::accumulate_float;
    default:
        return Access::accumulate_double;
    }
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
    const std::uint64_t bytes = mpi::size_of(type);
    queues::issue_before(target, bytes, Access::fetch_and_op, true);
    completion::begin(target, bytes, Access::fetch_and_op);
    if (!target.window->locks_all() || target.completes_at_once() || !traits::in_use.fetches_by_request) {
        rma::fetch_and_op(target, type, op, operand, result);
        completion::end_complete(target);
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    rma::fetch_and_op(target, type, op, operand, result, &request);
    completion::end(target, bytes, Access::fetch_and_op);
    completion::gets_began(1);
    mpi::finish(request);
    completion::gets_ended(1);
}

void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result)
{
    queues::issue_before(target, mpi::size_of(type), Access::fetch_and_op, true);
    completion::begin(target, mpi::size_of(type), Access::fetch_and_op);
    rma::compare_and_swap(target, type, compare, replacement, result);
    completion::end_complete(target);
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
    end_all(process, [=] { completion::finish_all_locally(process); });
}

void finish_all()
{
    end_all(all_processes, [] { completion::finish_all_locally(); });
}

void fence(int process)
{
    end_all(process, [=] { completion::fence(process); });
}

void fence_all()
{
    end_all(all_processes, [] { completion::fence_all(); });
}

} // namespace armci::gmr::remote
