// Regions by name: which allocation an address of a process belongs to, as all its members call it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace armci::observe {

// Alike on all members: where the slice of the first of them that has one begins, and which of the
// allocations that ever began there it is.
struct RegionName {
    std::uint64_t start = 0;
    std::int32_t first_process = -1;
    std::int32_t members = 0;
    std::uint64_t number = 0; // counts the allocations of its team
    std::uint64_t bytes = 0;  // of all members together

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the default for a comparison with 0
    friend auto operator<=>(const RegionName&, const RegionName&) = default;
};

struct RegionTraffic {
    RegionName region;
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
};

class Regions {
public:
    // A member's slice; bytes 0: none.
    struct Slice {
        int process;
        std::uintptr_t start;
        std::uint64_t bytes;
    };
    void add(std::uint64_t number, std::span<const Slice> slices);
    // The one whose slice of `process` begins there. What was counted stays, of the busiest some thousand.
    void remove(int process, std::uintptr_t start);

    void count(int process, std::uintptr_t address, std::uint64_t bytes);
    // The busiest, by bytes.
    std::vector<RegionTraffic> busiest(std::size_t most) const;
    void clear();

private:
    struct Live {
        RegionTraffic traffic;
        std::vector<Slice> slices;
    };
    struct Placed {
        std::uint64_t bytes;
        std::shared_ptr<Live> region;
    };
    using Placing = std::map<std::uintptr_t, Placed>;

    Placed* find(int process, std::uintptr_t address);

    mutable std::mutex guard_;
    std::vector<RegionTraffic> freed_;
    std::unordered_map<int, Placing> live_; // by process, then by where a slice starts
};

} // namespace armci::observe
