#include "gmr/network/mpi_exclusion.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/wait.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/network/window.hpp"

#include <chrono>
#include <cstdint>
#include <new>

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

// Whether an accumulate to a neighbour changes its memory while the neighbour is outside of MPI: each process
// of a node adds to the next one and says so in shared memory; the next one looks without a call of MPI.
class DirectPath {
public:
    DirectPath(MPI_Comm world, const Topology& topology, Heap& heap)
        : topology_(topology), heap_(heap), memory_(place(heap, window_alignment)),
          window_(Window::over(world, memory_, window_alignment, EpochStyle::lock_all))
    {
    }
    ~DirectPath()
    {
        completion::forget(*window_);
        window_.reset();
        heap_.release_internal(memory_);
    }
    DirectPath(const DirectPath&) = delete;
    DirectPath& operator=(const DirectPath&) = delete;

    bool is_taken()
    {
        const std::vector<std::byte*> all = exchange(memory_, topology_);
        int me = 0;
        mpi::check(MPI_Comm_rank(topology_.node_comm(), &me), "MPI_Comm_rank");
        const std::size_t neighbours = all.size();
        const std::size_t next = (static_cast<std::size_t>(me) + 1) % neighbours;
        const std::size_t before = (static_cast<std::size_t>(me) + neighbours - 1) % neighbours;
        const int target = topology_.members(topology_.my_node())[next];
        add(target, 0); // opens what MPI opens at first use
        completion::fence_all();
        mpi::barrier(topology_.node_comm());
        add(target, 1);
        word(memory_, issued_at).store(1, std::memory_order_release);
        // The process before may be held up where MPI wants me: then nothing is known.
        const bool known = spin_until([&] { return word(all[before], issued_at).load() != 0; });
        const bool changed = word(memory_, 0).load() != 0;
        completion::fence_all();
        mpi::barrier(topology_.node_comm());
        return changed || !known;
    }

private:
    static constexpr std::uint64_t issued_at = 64;

    static std::atomic_ref<std::int64_t> word(std::byte* memory, std::uint64_t offset)
    {
        return std::atomic_ref(*reinterpret_cast<std::int64_t*>(memory + offset));
    }

    template <class Done>
    static bool spin_until(Done done)
    {
        const Clock::time_point last = Clock::now() + std::chrono::milliseconds(100);
        while (!done()) {
            if (Clock::now() > last)
                return false;
            wait::pause();
        }
        return true;
    }

    void add(int process, std::int64_t value)
    {
        Target target;
        target.window = window_.get();
        target.rank = target.process = process;
        completion::begin(target, sizeof value, Access::accumulate_long);
        rma::accumulate(target, MPI_INT64_T, sizeof value, &(values_[value] = value), sizeof value);
        completion::end(target, sizeof value, Access::accumulate_long);
    }

    const Topology& topology_;
    Heap& heap_;
    std::byte* memory_;
    std::unique_ptr<Window> window_;
    std::int64_t values_[2] = {}; // MPI reads them until the fence
};

bool all_say(MPI_Comm world, bool mine)
{
    int yes = mine ? 1 : 0;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_LAND, world), "MPI_Allreduce");
    return yes != 0;
}

// Memory that MPI allocates may be its shared memory, which origins change by themselves.
bool brings_own_memory(WindowFlavour window)
{
    return window != WindowFlavour::allocate && window != WindowFlavour::shared;
}

} // namespace

MpiExclusion* MpiExclusion::the_one_ = nullptr;

std::unique_ptr<MpiExclusion> MpiExclusion::where_it_holds(MPI_Comm world, const Topology& topology,
                                                           Heap& heap, const Settings& settings)
{
    if (!traits::in_use.target_adds || !brings_own_memory(settings.window) ||
        settings.epochs != EpochStyle::lock_all)
        return nullptr;
    if (topology.nodes() < topology.processes() &&
        !all_say(world, !DirectPath(world, topology, heap).is_taken()))
        return nullptr;
    return std::unique_ptr<MpiExclusion>(new MpiExclusion(topology, heap));
}

MpiExclusion::MpiExclusion(const Topology& topology, Heap& heap)
    : heap_(heap), covers_fetches_(traits::in_use.target_fetches),
      mine_(new (place(heap, sizeof(PhaseLock))) PhaseLock),
      neighbours_(static_cast<std::size_t>(topology.processes()))
{
    const std::vector<std::byte*> all = exchange(reinterpret_cast<std::byte*>(mine_), topology);
    for (std::size_t i = 0; i < all.size(); ++i)
        neighbours_[static_cast<std::size_t>(topology.members(topology.my_node())[i])].lock =
            std::launder(reinterpret_cast<PhaseLock*>(all[i]));
    the_one_ = this;
}

MpiExclusion::~MpiExclusion()
{
    the_one_ = nullptr;
    heap_.release_internal(reinterpret_cast<std::byte*>(mine_));
}

} // namespace armci::gmr
