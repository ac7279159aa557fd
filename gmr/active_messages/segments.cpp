#include "gmr/active_messages/segments.hpp"

#include "gmr/node/kernels/copy.hpp"

#include <algorithm>

namespace armci::gmr::active_messages {
namespace {

// A reader that looks for the value of a short one sees none of it or all.
constexpr std::uint64_t most_whole = 64;

} // namespace

void Segments::add(const Run& run)
{
    if (run.count > 0 && run.bytes > 0)
        runs_.push(run);
}

std::span<std::byte> Segments::first() const
{
    const Run& run = runs_.front();
    return {reinterpret_cast<std::byte*>(run.address) + dropped_, run.bytes - dropped_};
}

void Segments::drop(std::size_t bytes)
{
    Run& run = runs_.front();
    dropped_ += bytes;
    if (dropped_ < run.bytes)
        return;
    dropped_ = 0;
    run.address += static_cast<std::uint64_t>(run.stride);
    if (--run.count == 0)
        runs_.pop();
}

std::size_t Segments::write(std::span<const std::byte> from)
{
    const std::size_t before = from.size();
    while (!runs_.empty() && !from.empty()) {
        const std::span<std::byte> to = first();
        const std::size_t bytes = std::min(from.size(), to.size());
        if (bytes < to.size() && runs_.front().bytes <= most_whole)
            break;
        kernels::copy(to.data(), from.data(), bytes);
        from = from.subspan(bytes);
        drop(bytes);
    }
    return before - from.size();
}

std::size_t Segments::read(std::span<std::byte> to)
{
    const std::size_t before = to.size();
    while (!runs_.empty() && !to.empty()) {
        const std::span<const std::byte> from = first();
        const std::size_t bytes = std::min(from.size(), to.size());
        kernels::copy(to.data(), from.data(), bytes);
        to = to.subspan(bytes);
        drop(bytes);
    }
    return before - to.size();
}

} // namespace armci::gmr::active_messages
