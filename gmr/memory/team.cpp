#include "gmr/memory/team.hpp"

#include "armci/base/diagnostics.hpp"

#include <algorithm>

namespace armci::gmr {

// A central barrier: the last to arrive resets the count and opens the next phase. The RMW on `arrived`
// (acq_rel) collects what each member wrote; the store to `phase` (seq_cst) hands it to all. What a phase's
// members did not agree to is read after it and taken back before the end of the next one.
struct Team::Control {
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) wait::Word phase;
    std::atomic<std::uint32_t> refused[2]; // by the last bit of the phase
    alignas(64) std::byte slots[1];        // 2 sets, of local_size() slots each
};

Team::Team(MPI_Comm comm, std::vector<int> members, const Topology& topology, Heap& heap)
    : comm_(comm), members_(std::move(members)), heap_(&heap)
{
    mpi::check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    for (int i = 0; i < size(); ++i) {
        near_.push_back(topology.same_node(member(i)));
        if (!on_my_node(i))
            continue;
        if (i == rank_)
            local_rank_ = local_size_;
        ++local_size_;
    }
    if (!on_one_node()) {
        node_ = mpi::Comm::split(comm, topology.my_node(), rank_);
        masters_ = mpi::Comm::split(comm, local_rank_ == 0 ? 0 : MPI_UNDEFINED, rank_);
    }
    if (local_rank_ == 0) {
        const std::size_t bytes = sizeof(Control) + 2 * static_cast<std::size_t>(local_size_) * slot_bytes;
        control_ = reinterpret_cast<Control*>(heap.place_internal(bytes));
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the address itself goes out
    mpi::broadcast(&control_, sizeof(control_), 0, node_comm());
    if (control_ == nullptr)
        diag::fatal_together(rank_ == 0, "ARMCI_Group_create",
                             "no address range left for a group of %d processes; raise ARMCI_ARENA_SIZE",
                             size());
}

Team::~Team()
{
    if (local_rank_ == 0)
        heap_->release_internal(reinterpret_cast<std::byte*>(control_));
}

// The part of barrier() that one node needs: enough for show(), whose slots are the node's.
bool Team::node_barrier(bool mine)
{
    if (local_size_ == 1)
        return mine;
    const std::uint32_t phase = control_->phase.value.load(std::memory_order_relaxed);
    std::atomic<std::uint32_t>& refused = control_->refused[phase % 2];
    if (!mine)
        refused.store(1, std::memory_order_relaxed);
    if (control_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
        static_cast<std::uint32_t>(local_size_)) {
        control_->arrived.store(0, std::memory_order_relaxed);
        control_->refused[(phase + 1) % 2].store(0, std::memory_order_relaxed);
        control_->phase.value.store(phase + 1, std::memory_order_seq_cst);
        wait::wake(control_->phase);
    } else {
        wait::until(control_->phase, [phase](std::uint32_t now) { return now != phase; });
    }
    return refused.load(std::memory_order_relaxed) == 0;
}

bool Team::barrier(bool mine)
{
    bool all = node_barrier(mine);
    if (on_one_node())
        return all;
    if (masters_.valid())
        all = mpi::barrier(masters_.get(), all);
    return node_barrier(all);
}

const std::byte* Team::show(const void* mine, std::size_t bytes)
{
    // Two sets in turn: a member writes a set again only after a barrier that the readers of that set have
    // entered.
    turn_ ^= 1;
    std::byte* const slots = control_->slots + turn_ * static_cast<std::size_t>(local_size_) * slot_bytes;
    if (bytes > 0)
        std::memcpy(slots + static_cast<std::size_t>(local_rank_) * slot_bytes, mine, bytes);
    node_barrier();
    return slots;
}

} // namespace armci::gmr
