// Remote: operations on targets that load/store does not serve, in the order that location consistency asks
// for.
//
// Each call orders itself behind what is queued and what is pending, issues through gmr/rma, notes what it
// wrote, and then completes locally when it is blocking. `Issue` says how: blocking; nonblocking without a
// handle, completed by flushes; or with a handle, whose requests complete it.
#pragma once

#include "armci/include/armci.h"
#include "gmr/kernels/accumulate.hpp"
#include "gmr/rma.hpp"
#include "gmr/span.hpp"
#include "gmr/target.hpp"
#include "gmr/window.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr {

struct Issue {
    bool blocking = true;
    armci_hdl_t* handle = nullptr; // only when not blocking
    bool alone = false;            // never joined with others, except by an aggregate handle

    static Issue nonblocking(armci_hdl_t* handle) { return {.blocking = false, .handle = handle}; }
};

namespace remote {

void put(const Target& target, const void* source, std::uint64_t bytes, Issue issue);
void get(const Target& target, void* destination, std::uint64_t bytes, Issue issue);
// `scale` points to one element; bytes are whole elements.
void accumulate(const Target& target, kernels::Element element, const void* scale, const void* source,
                std::uint64_t bytes, Issue issue);

// Many blocks of one target as one operation (rma::Blocks), ordered and noted over [target, target + extent),
// which holds them all. With a handle, sources are copied, so that it has nothing to wait for.
void put_blocks(const Target& target, std::uint64_t extent, const rma::Blocks& blocks, Issue issue);
// Not with a handle: nothing would tell it of completion.
void get_blocks(const Target& target, std::uint64_t extent, const rma::Blocks& blocks, Issue issue);
void accumulate_blocks(const Target& target, std::uint64_t extent, kernels::Element element,
                       const void* scale, const rma::Blocks& blocks, Issue issue);

// One operation of derived types, ordered and noted over [target, target + extent); its type `there` starts
// `first` bytes on. `staged` is what it reads, if it reads copies; with a handle it must, and gets have none.
void put_typed(const Target& target, std::uint64_t extent, std::int64_t first, const rma::Typed& typed,
               Issue issue, Buffers staged = {});
void get_typed(const Target& target, std::uint64_t extent, std::int64_t first, const rma::Typed& typed,
               Issue issue);
void accumulate_typed(const Target& target, std::uint64_t extent, std::int64_t first,
                      kernels::Element element, const rma::Typed& typed, Issue issue, Buffers staged = {});
MPI_Datatype mpi_type(kernels::Element element);
Access access_of(kernels::Element element); // that accumulates it

// One element at the target, behind everything that is pending there; `result`, the old value, is there when
// they return. The new one is in place for whatever follows from this process, and for all after a fence (a
// compare-and-swap: at once). Operand, compare and replacement are elements of `type`.
void fetch_and_op(const Target& target, MPI_Datatype type, MPI_Op op, const void* operand, void* result);
void compare_and_swap(const Target& target, MPI_Datatype type, const void* compare, const void* replacement,
                      void* result);

// Return when what was issued to a process, or to all, without a handle is complete here; with what aggregate
// handles have queued.
void finish(int process);
void finish_all();

// Return when everything issued to a process, or to all, is complete there; with what aggregate handles have
// queued.
void fence(int process);
void fence_all();

// Many segments of one call to one region: they are ordered, noted and completed as one, over the whole
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

    // Gets of near segments go as one from now on (gmr/span.hpp), all of the extent being memory of one
    // region. Without a handle the call blocks then.
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
    void issued();
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

} // namespace remote
} // namespace armci::gmr
