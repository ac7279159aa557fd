#include "gmr/team.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"

namespace armci::gmr {

// A central barrier: the last to arrive resets the count and opens the next phase. The RMW on `arrived` (acq_rel)
// collects what each member wrote; the store to `phase` (seq_cst) hands it to all.
struct Team::Control {
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) wait::Word phase;
    alignas(64) std::byte slots[1]; // 2 sets of size() records
};

Team::Team(MPI_Comm comm, std::vector<int> members, Heap& heap) : members_(std::move(members)), heap_(&heap)
{
    mpi::check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    if (rank_ == 0) {
        const std::size_t bytes = sizeof(Control) + 2 * members_.size() * record_bytes;
        control_ = reinterpret_cast<Control*>(heap.place_internal(bytes));
    }
    static_assert(sizeof(control_) == sizeof(unsigned long));
    mpi::check(MPI_Bcast(&control_, 1, MPI_UNSIGNED_LONG, 0, comm), "MPI_Bcast");
    if (control_ == nullptr)
        diag::fatal("ARMCI_Group_create", "no address range left for a group of %d processes; set ARMCI_ARENA_SIZE",
                    size());
}

Team::~Team()
{
    if (rank_ == 0) heap_->release_internal(reinterpret_cast<std::byte*>(control_));
}

void Team::barrier()
{
    const std::uint32_t phase = control_->phase.value.load(std::memory_order_relaxed);
    if (control_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(size())) {
        control_->arrived.store(0, std::memory_order_relaxed);
        control_->phase.value.store(phase + 1, std::memory_order_seq_cst);
        wait::wake(control_->phase);
    } else {
        wait::until(control_->phase, [phase](std::uint32_t now) { return now != phase; });
    }
}

std::byte* Team::next_slots()
{
    turn_ ^= 1;
    return control_->slots + turn_ * members_.size() * record_bytes;
}

} // namespace armci::gmr
