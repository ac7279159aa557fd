#include "gmr/node/accumulate.hpp"

#include "armci/base/diagnostics.hpp"

#include <algorithm>
#include <cinttypes>

namespace armci::gmr {
namespace {

Stripes stripes;

constexpr std::uintptr_t block_bytes = AccumulateLock::block_bytes;

// Rounds of spinning within which a holder on another core lets go, in most cases. To sleep and be woken
// takes longer.
constexpr int rounds_of_a_turn = 40;

// A small mutex: 0 free, 1 held, 2 held and a process may sleep. Releasing it wakes one sleeper, which marks
// it 2 as it takes it, for the sleepers behind.
void lock(wait::Word& word)
{
    std::uint32_t expected = 0;
    if (word.value.compare_exchange_strong(expected, 1, std::memory_order_acquire))
        return;
    for (int round = std::max(wait::spin_rounds(), rounds_of_a_turn); round > 0; --round) {
        wait::pause();
        expected = 0;
        if (word.value.load(std::memory_order_relaxed) == 0 &&
            word.value.compare_exchange_strong(expected, 1, std::memory_order_acquire))
            return;
    }
    while (word.value.exchange(2, std::memory_order_acquire) != 0)
        wait::sleep_while(word, 2);
}

void unlock(wait::Word& word)
{
    if (word.value.exchange(0, std::memory_order_seq_cst) == 2)
        wait::wake_one(word);
}

} // namespace

void set_accumulate_locks(const Stripes& locks)
{
    stripes = locks;
}

void AccumulateLock::hold_block(std::uintptr_t block)
{
    block_ = block;
    wait::Word& wanted = stripes.of(block);
    if (held_ == &wanted)
        return;
    if (held_ != nullptr)
        release();
    lock(wanted);
    held_ = &wanted;
}

void AccumulateLock::release()
{
    unlock(*held_);
    held_ = nullptr;
}

int Accumulation::prepare(const char* call, int type, const void* scale, Accumulation& result)
{
    if (type < 0 || type >= kernels::element_kinds)
        return diag::reject(call, "type is %d; it must be %d (ARMCI_ACC_INT) to %d (ARMCI_ACC_DCP)", type, 0,
                            kernels::element_kinds - 1);
    if (scale == nullptr)
        return diag::reject(call, "scale is NULL; it must point to one element of type %s",
                            kernels::element_name(static_cast<kernels::Element>(type)));
    result.element_ = static_cast<kernels::Element>(type);
    result.kernel_ = kernels::choose_accumulate(result.element_, scale);
    result.scale_ = scale;
    result.size_mask_ = kernels::element_size(result.element_) - 1;
    result.alignment_mask_ = kernels::element_alignment(result.element_) - 1;
    return 0;
}

int Accumulation::check_size(const char* call, std::int64_t bytes) const
{
    if (takes_sizes(static_cast<std::uint64_t>(bytes)))
        return 0;
    return diag::reject(call, "a segment has %" PRId64 " bytes; it must be a multiple of %zu, the size of %s",
                        bytes, size_mask_ + 1, kernels::element_name(element_));
}

void Accumulation::add(AccumulateLock& lock, std::byte* target, const std::byte* source,
                       std::size_t bytes) const
{
    while (bytes > 0) {
        // An element belongs to the block in which it starts, wherever it ends.
        const std::size_t to_block_end = block_bytes - reinterpret_cast<std::uintptr_t>(target) % block_bytes;
        const std::size_t whole = (to_block_end + size_mask_) & ~size_mask_;
        const std::size_t piece = std::min(bytes, whole);
        lock.hold(target);
        kernel_.segment(target, source, piece, scale_);
        target += piece;
        source += piece;
        bytes -= piece;
    }
}

void Accumulation::add_rows(AccumulateLock& lock, kernels::Rows rows) const
{
    const std::int64_t count = rows.count;
    for (std::int64_t done = 0; done < count; done += rows.count) {
        const std::size_t to_block_end =
            block_bytes - reinterpret_cast<std::uintptr_t>(rows.target) % block_bytes;
        rows.count = 1;
        if (rows.bytes > to_block_end) {
            add(lock, rows.target, rows.source, rows.bytes);
        } else {
            if (rows.target_stride > 0)
                rows.count +=
                    std::min(count - done - 1,
                             static_cast<std::int64_t>(to_block_end - rows.bytes) / rows.target_stride);
            lock.hold(rows.target);
            kernel_.rows(rows, scale_);
        }
        rows.target += rows.count * rows.target_stride;
        rows.source += rows.count * rows.source_stride;
    }
}

} // namespace armci::gmr
