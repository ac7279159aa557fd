#include "gmr/misaligned.hpp"

#include "armci/base/wait.hpp"
#include "gmr/contiguous.hpp"
#include "gmr/locate.hpp"
#include "gmr/transfer/remote.hpp"

#include <algorithm>
#include <atomic>

namespace armci::gmr::misaligned {
namespace {

const std::vector<void*>* words = nullptr; // of the locks that live

constexpr std::int32_t is_free = 0;
constexpr std::int32_t is_held = 1;

// What is got and put at once: whole elements.
constexpr std::uint64_t piece_bytes = 1 << 20;

} // namespace

Locks::Locks(GlobalMemory& memory, Team& world) : memory_(memory), world_(world)
{
    if (memory_.network() == nullptr)
        return;
    words_.resize(static_cast<std::size_t>(world.size()));
    if (memory_.allocate("ARMCI_Init", world, true, words_.data(), sizeof(std::int32_t)) != 0)
        diag::end_job(diag::rejected); // it has said why
    words = &words_;
}

Locks::~Locks()
{
    words = nullptr;
    if (!words_.empty())
        memory_.free("ARMCI_Finalize", world_, words_[static_cast<std::size_t>(world_.rank())]);
}

Turn::Turn(int process) : process_(process)
{
    lock_ = locate("ARMCI_Acc", process, (*words)[static_cast<std::size_t>(process)], sizeof(std::int32_t),
                   Use::atomic);
    lock_.migrates = false; // MPI alone changes it
    wait::until([&] {
        std::int32_t found = is_held;
        remote::compare_and_swap(lock_, MPI_INT32_T, &is_free, &is_held, &found);
        return found == is_free;
    });
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

Turn::~Turn()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    remote::fence(process_);
    std::int32_t found = is_held;
    remote::compare_and_swap(lock_, MPI_INT32_T, &is_held, &is_free, &found);
}

void Turn::add(const Target& target, const Accumulation& accumulation, const void* source, void* address,
               std::uint64_t bytes)
{
    const auto* const from = static_cast<const std::byte*>(source);
    auto* const to = static_cast<std::byte*>(address);
    const Buffer sums = target.use_load_store() ? Buffer{} : staging::take(std::min(bytes, piece_bytes));
    for (std::uint64_t done = 0; done < bytes; done += piece_bytes) {
        const std::uint64_t piece = std::min(bytes - done, piece_bytes);
        const Target there = target.at(static_cast<std::int64_t>(done));
        if (target.use_load_store()) {
            accumulation.add_unshared(there.local, from + done, piece);
            continue;
        }
        get_located(there, to + done, sums.get(), piece, Issue{});
        accumulation.add_unshared(sums.get(), from + done, piece);
        put_located(there, sums.get(), to + done, piece, Issue{});
    }
}

} // namespace armci::gmr::misaligned
