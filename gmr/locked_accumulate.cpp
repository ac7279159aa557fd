#include "gmr/locked_accumulate.hpp"

#include "armci/base/mpi_traits.hpp"
#include "armci/base/wait.hpp"
#include "gmr/contiguous.hpp"
#include "gmr/locate.hpp"
#include "gmr/transfer/remote.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace armci::gmr::locked {
namespace {

// Of the locks that live.
const Runs* places = nullptr;
const Translation* network = nullptr;
bool in_place_of_mpi = false;

constexpr std::int32_t is_free = 0;
constexpr std::int32_t is_held = 1;

// Who finds the lock held asks less and less often: each time is a message to a process that serves the
// holder.
constexpr int most_turns = 64;

// Sums that are on their way at once: more gain nothing.
constexpr std::uint64_t most_taken = 4 * Turn::most_bytes;

// Returns the address of a process's word.
void* word_of(int process)
{
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(network->slice(process)) +
                                   places->of(process));
}

// Writes `value` where the lock's word is `expected`; for a lock, both ways are the same. Returns the old
// value.
std::int32_t exchange(const Target& lock, std::int32_t expected, std::int32_t value)
{
    std::int32_t found = is_held;
    if (traits::in_use.compare_and_swap_may_hang)
        remote::fetch_and_op(lock, MPI_INT32_T, MPI_REPLACE, &value, &found);
    else
        remote::compare_and_swap(lock, MPI_INT32_T, &expected, &value, &found);
    return found;
}

} // namespace

Locks::Locks(GlobalMemory& memory, Team& world) : memory_(memory), world_(world)
{
    if (memory_.network() == nullptr || peers.cpu_atomics)
        return;
    std::vector<void*> words(static_cast<std::size_t>(world.size()));
    if (memory_.allocate("ARMCI_Init", world, true, words.data(), sizeof(std::int32_t)) != 0)
        diag::end_job(diag::rejected); // it has said why
    mine_ = words[static_cast<std::size_t>(world.rank())];
    // Memory that MPI allocates need not be zeroed.
    std::memset(mine_, 0, sizeof(std::int32_t));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    world.barrier();
    network = memory_.network();
    std::vector<std::uint64_t> in_slices;
    in_slices.reserve(words.size());
    for (int process = 0; process < world.size(); ++process)
        in_slices.push_back(reinterpret_cast<std::uintptr_t>(words[static_cast<std::size_t>(process)]) -
                            reinterpret_cast<std::uintptr_t>(network->slice(process)));
    places_ = Runs(in_slices);
    places = &places_;
    in_place_of_mpi = traits::in_use.adds_at_origin;
}

Locks::~Locks()
{
    places = nullptr;
    network = nullptr;
    in_place_of_mpi = false;
    if (mine_ != nullptr)
        memory_.free("ARMCI_Finalize", world_, mine_);
}

bool takes_network()
{
    return in_place_of_mpi;
}

Turn::Turn(int process) : process_(process)
{
    lock_ = locate("ARMCI_Acc", process_, word_of(process_), sizeof(std::int32_t), Use::atomic);
    lock_.migrates = false; // MPI alone changes it
    int turns = 0;
    int next_turns = 1;
    wait::until([&] {
        if (turns-- > 0)
            return false;
        turns = next_turns;
        next_turns = std::min(2 * next_turns, most_turns);
        return exchange(lock_, is_free, is_held) == is_free;
    });
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

Turn::~Turn()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    remote::fence(process_);
    exchange(lock_, is_held, is_free);
}

std::byte* Turn::take(std::uint64_t bytes)
{
    if (taken_ + bytes > most_taken && taken_ > 0) {
        remote::finish(process_);
        sums_.clear();
        taken_ = 0;
    }
    taken_ += bytes;
    return sums_.emplace_back(staging::take(bytes)).get();
}

void Turn::add(const Target& target, const Accumulation& accumulation, const void* source, void* address,
               std::uint64_t bytes)
{
    const auto* const from = static_cast<const std::byte*>(source);
    if (target.use_load_store()) {
        // No Turn is needed for memory of one node's processes only: others of the node may add to it now.
        AccumulateLock lock(target.local, address);
        accumulation.add(lock, target.local, from, bytes);
        return;
    }
    auto* const to = static_cast<std::byte*>(address);
    for (std::uint64_t done = 0; done < bytes; done += most_bytes) {
        const std::uint64_t piece = std::min(bytes - done, most_bytes);
        const Target there = target.at(static_cast<std::int64_t>(done));
        std::byte* const sums = take(piece);
        get_located(there, to + done, sums, piece, gets());
        accumulation.add_unshared(sums, from + done, piece);
        put_located(there, sums, to + done, piece, puts());
    }
}

} // namespace armci::gmr::locked
