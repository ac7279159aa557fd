// Segments: the arguments of an I/O-vector call, and what one look at all of them tells.
#pragma once

#include "armci/include/armci.h"
#include "gmr/memory/target.hpp"
#include "gmr/node/accumulate.hpp"
#include "gmr/transfer/remote.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace armci::iov {

// One descriptor of the public interface: address arrays of `ptr_array_len` segments of `bytes` bytes.
using Descriptor = armci_giov_t;

enum class Kind { put, get, accumulate };

struct Request {
    const char* call;
    Kind kind;
    std::span<const Descriptor> descriptors;
    int process; // absolute id of the remote side
    gmr::Issue issue;
    const gmr::Accumulation* accumulation = nullptr; // of accumulates, with one element to scale by
    const void* scale = nullptr;
    gmr::Use accumulate_use = gmr::Use::atomic;

    gmr::Use use() const { return kind == Kind::accumulate ? accumulate_use : gmr::Use::plain; }
    void** remote(const Descriptor& one) const
    {
        return kind == Kind::get ? one.src_ptr_array : one.dst_ptr_array;
    }
    void** local(const Descriptor& one) const
    {
        return kind == Kind::get ? one.dst_ptr_array : one.src_ptr_array;
    }
};

// Calls visit(remote address, local address, bytes) for each segment that has bytes, in the caller's order,
// until it returns false.
template <class Visit>
void each_segment(const Request& request, Visit visit)
{
    for (const Descriptor& descriptor : request.descriptors) {
        if (descriptor.bytes <= 0)
            continue;
        void** const remote = request.remote(descriptor);
        void** const local = request.local(descriptor);
        for (int i = 0; i < descriptor.ptr_array_len; ++i)
            if (!visit(static_cast<std::byte*>(remote[i]), static_cast<std::byte*>(local[i]),
                       static_cast<std::uint64_t>(descriptor.bytes)))
                return;
    }
}

struct Survey {
    std::size_t segments = 0; // that have bytes
    std::uint64_t bytes = 0;
    std::uint64_t longest = 0;
    bool at_hand = true;         // every remote address is good for load and store as it is
    bool any_load_store = false; // load and store reach some
    bool ascending = true;       // each remote segment is known to begin at or after the end of the last

    // Where all lie in one window of one target: the lowest byte, as a target, with its address, and the
    // bytes from there to the end of the highest.
    bool one_window = true;
    bool one_type = true; // one operation may reach all of them (Window::can_join_attached)
    bool solid = false;   // all that lies between them is memory of that window, too
    gmr::Target lowest;
    const std::byte* lowest_address = nullptr;
    std::uint64_t extent = 0;
};

// The descriptors without their addresses: reports what is wrong by itself.
int check_descriptors(const Request& request);

// Checks the descriptors and finds every remote segment. Reports and returns non-zero when one is wrong.
int look_at_all(const Request& request, Survey& survey);

// Whether what is read and what is written of one window may be the same memory (gmr::is_on_itself).
bool is_on_itself(const Request& request, const Survey& survey);

// Whether segments overlap where they are written: at the target, or here for gets. `which` learns the first
// that meets an earlier one.
bool overlap(const Request& request, const Survey& survey, std::size_t& which);

} // namespace armci::iov
