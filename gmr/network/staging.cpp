#include "gmr/network/staging.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

namespace armci::gmr::staging {
namespace {

// malloc serves smaller ones as well as we could.
constexpr std::uint64_t least_kept = 4096;
constexpr std::uint64_t most_kept = 16 << 20; // bytes in all
constexpr std::size_t most_buffers = 256;

constexpr std::uint64_t much = 256 * 1024;
std::atomic<std::uint64_t> lent{0};

struct Shelf {
    std::mutex guard;
    Buffers buffers;
    std::uint64_t bytes = 0;
};

// Never destroyed: handles that nobody waited for give their buffers back after main.
Shelf& shelf()
{
    static auto* const only = new Shelf;
    return *only;
}

} // namespace

Buffer take(std::uint64_t bytes)
{
    if (bytes >= least_kept) {
        bytes = std::bit_ceil(bytes);
        Shelf& kept = shelf();
        const std::lock_guard lock(kept.guard);
        const auto found =
            std::find_if(kept.buffers.rbegin(), kept.buffers.rend(),
                         [bytes](const Buffer& one) { return one.get_deleter().bytes == bytes; });
        if (found != kept.buffers.rend()) {
            Buffer buffer = std::move(*found);
            kept.buffers.erase(std::next(found).base());
            kept.bytes -= bytes;
            lent += bytes;
            return buffer;
        }
    }
    lent += bytes;
    return Buffer(std::make_unique_for_overwrite<std::byte[]>(bytes).release(), GiveBack{bytes});
}

bool much_is_lent()
{
    return lent >= much;
}

void GiveBack::operator()(std::byte* buffer) const
{
    lent -= bytes;
    if (bytes >= least_kept) {
        Shelf& kept = shelf();
        const std::lock_guard lock(kept.guard);
        if (kept.bytes + bytes <= most_kept && kept.buffers.size() < most_buffers) {
            kept.buffers.emplace_back(buffer, *this);
            kept.bytes += bytes;
            return;
        }
    }
    delete[] buffer;
}

} // namespace armci::gmr::staging
