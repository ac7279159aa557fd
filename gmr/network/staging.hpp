// Staging: buffers of the library's own that MPI reads or writes until an operation is complete here.
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

// Whether so much is on loan to MPI that an operation had better complete before the next: buffers used again
// at once stay in the cache, which is worth more than what the overlap of so much data saves.
bool much_is_lent();
} // namespace staging

} // namespace armci::gmr
