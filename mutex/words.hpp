// Words: 32-bit words, one array on each process of a team, that only MPI's atomics change; or, where the job
// has active messages, only those of CPUs.
//
// The old value is there when a call returns. The new one is in place for what this process does next; for
// everybody after a fence, or at once by compare_and_swap() (gmr/transfer/remote.hpp).
#pragma once

#include "gmr/active_messages/wire.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/memory/team.hpp"
#include "gmr/network/window.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace armci::mutex {

// In words that name a process, processes are numbered from 1.
inline constexpr std::int32_t nobody = 0;

class Words {
public:
    // Bytes of window memory for `count` words on each process.
    static std::uint64_t bytes(std::uint64_t count);

    // Collective over `team`. `memory` has bytes(count), zeroed and aligned to a page; it stays the caller's.
    Words(gmr::Team& team, std::byte* memory, std::uint64_t count, EpochStyle epochs);

    bool change_by_cpus() const { return window_ == nullptr; }

    std::int32_t read(int rank, std::size_t index) const;
    // Return the old value.
    std::int32_t swap(int rank, std::size_t index, std::int32_t value) const;
    std::int32_t add(int rank, std::size_t index, std::int32_t value) const;
    std::int32_t compare_and_swap(int rank, std::size_t index, std::int32_t expected,
                                  std::int32_t value) const;

private:
    gmr::Target at(int rank, std::size_t index) const;
    std::int32_t fetch(int rank, std::size_t index, MPI_Op op, std::int32_t operand) const;
    std::int32_t change(int rank, std::size_t index, gmr::active_messages::Operation operation,
                        std::int32_t operand, std::int32_t expected = 0) const;

    gmr::Team& team_;
    std::vector<std::byte*> memory_;      // by rank, where there are active messages
    std::unique_ptr<gmr::Window> window_; // where there are none
};

} // namespace armci::mutex
