// Batch: many segments of one call to one region as they go over the network.
#pragma once

#include "gmr/memory/target.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/network/staging.hpp"
#include "gmr/network/window.hpp"
#include "gmr/node/kernels/accumulate.hpp"
#include "gmr/transfer/issue.hpp"
#include "gmr/transfer/span.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr::remote {

// They are ordered, noted and completed as one, over the whole
// extent; put(), get() and accumulate() only issue.
class Batch {
public:
    enum class Kind { put, get, accumulate };
    // [target, target + extent) holds every segment; none is longer than `segment`.
    Batch(const Target& target, std::uint64_t extent, std::uint64_t segment, Issue issue, Kind put_or_get);
    // Accumulates; `scale` stays until the end.
    Batch(const Target& target, std::uint64_t extent, std::uint64_t segment, Issue issue,
          kernels::Element element, const void* scale);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    // Gets of near segments go as one from now on (gmr/transfer/span.hpp), all of the extent being memory of
    // one region. Without a handle the call blocks then.
    void join_near_gets();

    // `offset` of the segment from the target's start.
    void put(std::uint64_t offset, const void* source, std::uint64_t bytes);
    void get(std::uint64_t offset, void* destination, std::uint64_t bytes);
    void accumulate(std::uint64_t offset, const void* source, std::uint64_t bytes);

private:
    Batch(Kind kind, Access access, const Target& target, std::uint64_t extent, std::uint64_t segment,
          Issue issue);
    rma::Requests* requests() { return with_requests_ ? &requests_ : nullptr; }
    void end();
    void issue_span();
    void issued(int calls = 1);
    template <class Write>
    void in_parts(std::uint64_t bytes, std::uint64_t most, Write write);
    void finish_plain();
    void leave_plain();
    void count_plain();
    void finish_requests();
    std::byte* stage(std::uint64_t bytes);

    Kind kind_;
    kernels::Element element_{}; // accumulated; so are the next four
    const void* scale_ = nullptr;
    bool unit_scale_ = false;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    std::uint64_t unit_ = 0; // bytes of one
    Target target_;
    std::uint64_t extent_;
    Access access_;
    Issue issue_;
    completion::IssuingGets issuing_;
    bool alone_; // one segment, waited for
    bool with_requests_;
    bool has_issued_ = false;
    rma::Requests requests_;
    int plain_ = 0; // operations without
    bool joins_near_ = false;
    Span span_;               // not issued yet
    Landings landings_;       // issued
    Buffers staged_;          // scaled copies that MPI may still read
    std::uint64_t used_ = 0;  // of the last one
    std::uint64_t bytes_ = 0; // accumulated
};

// Up to this size a blocking operation is faster by a request than by a flush.
std::uint64_t most_requested(Access access);

} // namespace armci::gmr::remote
