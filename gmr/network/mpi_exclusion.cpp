#include "gmr/network/mpi_exclusion.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/network/window.hpp"

#include <chrono>
#include <cstdint>
#include <new>
#include <thread>

namespace armci::gmr {
namespace {

using Clock = std::chrono::steady_clock;

std::byte* place(Heap& heap, std::uint64_t bytes)
{
    std::byte* const memory = heap.place_internal(bytes);
    if (memory == nullptr)
        diag::fatal("ARMCI_Init", "no address range left for %llu bytes; raise ARMCI_ARENA_SIZE",
                    static_cast<unsigned long long>(bytes));
    return memory;
}

// The bytes that each process of my node has placed, by rank on the node.
std::vector<std::byte*> exchange(std::byte* mine, const Topology& topology)
{
    std::vector<std::byte*> all(topology.members(topology.my_node()).size());
    mpi::allgather(&mine, all.data(), sizeof mine, topology.node_comm());
    return all;
}

// Whether an accumulate to a neighbour changes its memory while the neighbour is outside of MPI. The
// processes of a node take parts by their ranks: one adds, the next one stays outside and looks; then the
// other way round. They agree in shared memory when to begin and when it is over.
class DirectPath {
public:
    DirectPath(MPI_Comm world, const Topology& topology, Heap& heap)
        : topology_(topology), heap_(heap), memory_(place(heap, window_alignment())),
          window_(Window::over(world, memory_, window_alignment(), EpochStyle::lock_all)),
          all_(exchange(memory_, topology))
    {
        mpi::check(MPI_Comm_rank(topology_.node_comm(), &me_), "MPI_Comm_rank");
    }
    ~DirectPath()
    {
        completion::forget(*window_);
        window_.reset();
        heap_.release_internal(memory_);
    }
    DirectPath(const DirectPath&) = delete;
    DirectPath& operator=(const DirectPath&) = delete;

    // Also true where nothing was found out.
    bool is_taken()
    {
        const int processes = static_cast<int>(all_.size());
        const int next = (me_ + 1) % processes;
        const int before = (me_ + processes - 1) % processes;
        const auto adds = [](int round, int from, int to) { return from % 2 == round && to % 2 != round; };
        add(next, 0); // opens what MPI opens at first use
        completion::fence_all();
        bool known = true;
        bool changed = false;
        for (const int round : {0, 1}) {
            mpi::barrier(topology_.node_comm());
            if (adds(round, me_, next)) {
                known = known && is_seen(next, outside_at);
                add(next, 1);
                word(me_, issued_at).store(1, std::memory_order_release);
            } else if (adds(round, before, me_)) {
                word(me_, outside_at).store(1, std::memory_order_release);
                known = known && is_seen(before, issued_at);
                changed = word(me_, 0).load(std::memory_order_acquire) != 0;
            }
        }
        completion::fence_all();
        mpi::barrier(topology_.node_comm());
        return changed || !known;
    }

private:
    static constexpr std::uint64_t outside_at = 64;
    static constexpr std::uint64_t issued_at = 128;

    std::atomic_ref<std::int64_t> word(int node_rank, std::uint64_t offset) const
    {
        return std::atomic_ref(
            *reinterpret_cast<std::int64_t*>(all_[static_cast<std::size_t>(node_rank)] + offset));
    }

    // Waits without a call of MPI. False where the other process does not come: MPI may hold it up until this
    // one calls.
    bool is_seen(int node_rank, std::uint64_t offset) const
    {
        const Clock::time_point last = Clock::now() + std::chrono::seconds(1);
        while (word(node_rank, offset).load(std::memory_order_acquire) == 0) {
            if (Clock::now() > last)
                return false;
            std::this_thread::yield();
        }
        return true;
    }

    void add(int node_rank, std::int64_t value)
    {
        Target target;
        target.window = window_.get();
        target.rank = target.process =
            topology_.members(topology_.my_node())[static_cast<std::size_t>(node_rank)];
        completion::begin(target, sizeof value, Access::accumulate_long);
        rma::accumulate(target, MPI_INT64_T, sizeof value, &(values_[value] = value), sizeof value);
        completion::end(target, sizeof value, Access::accumulate_long);
    }

    const Topology& topology_;
    Heap& heap_;
    std::byte* memory_;
    std::unique_ptr<Window> window_;
    std::vector<std::byte*> all_; // by rank on the node
    int me_ = 0;
    std::int64_t values_[2] = {}; // MPI reads them until the fence
};

// Memory that MPI allocates may be its shared memory, which origins change by themselves.
bool brings_own_memory(WindowFlavour window)
{
    return window != WindowFlavour::allocate && window != WindowFlavour::shared;
}

} // namespace

MpiExclusion* MpiExclusion::the_one_ = nullptr;
thread_local bool MpiExclusion::inside_ = false;

std::unique_ptr<MpiExclusion> MpiExclusion::where_it_holds(MPI_Comm world, const Topology& topology,
                                                           Heap& heap, const Settings& settings)
{
    if (!traits::in_use.target_adds || !brings_own_memory(settings.window) ||
        settings.epochs != EpochStyle::lock_all)
        return nullptr;
    if (topology.nodes() < topology.processes() &&
        !mpi::all_say(world, !DirectPath(world, topology, heap).is_taken()))
        return nullptr;
    return std::unique_ptr<MpiExclusion>(new MpiExclusion(topology, heap));
}

MpiExclusion::MpiExclusion(const Topology& topology, Heap& heap)
    : heap_(heap), covers_fetches_(traits::in_use.target_fetches),
      mine_(new (place(heap, sizeof(PhaseLock))) PhaseLock),
      first_(static_cast<unsigned>(topology.members(topology.my_node()).front())),
      neighbours_(index_of(topology.members(topology.my_node()).back()) + 1)
{
    const std::vector<std::byte*> all = exchange(reinterpret_cast<std::byte*>(mine_), topology);
    for (std::size_t i = 0; i < all.size(); ++i)
        neighbours_[index_of(topology.members(topology.my_node())[i])].lock =
            std::launder(reinterpret_cast<PhaseLock*>(all[i]));
    the_one_ = this;
}

MpiExclusion::~MpiExclusion()
{
    the_one_ = nullptr;
    heap_.release_internal(reinterpret_cast<std::byte*>(mine_));
}

} // namespace armci::gmr
