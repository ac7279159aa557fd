// Staging: buffers of the library's own that MPI reads from until an operation is complete here.
//
// Large ones are kept for the next operation: fresh ones would be mapped, faulted in and unmapped each time.
// Callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace armci::gmr {

namespace staging {
struct GiveBack {
    std::uint64_t bytes = 0; // of the buffer
    void operator()(std::byte* buffer) const;
};
} // namespace staging

using Buffer = std::unique_ptr<std::byte[], staging::GiveBack>;
using Buffers = std::vector<Buffer>;

namespace staging {
// A buffer of at least `bytes`, uninitialised.
Buffer take(std::uint64_t bytes);

std::uint64_t bytes_of(const Buffers& buffers);
} // namespace staging

} // namespace armci::gmr
