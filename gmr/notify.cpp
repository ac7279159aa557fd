#include "gmr/notify.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"

namespace armci::gmr {

Notifier::Notifier(MPI_Comm world, Heap& heap) : heap_(heap)
{
    int size = 0;
    mpi::check(MPI_Comm_rank(world, &me_), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &size), "MPI_Comm_size");
    auto* inbox = reinterpret_cast<Counter*>(heap.place_internal(static_cast<std::size_t>(size) * sizeof(Counter)));
    if (inbox == nullptr) diag::fatal("ARMCI_Init", "no address range left for %d notify counters", size);
    inbox_of_.resize(static_cast<std::size_t>(size));
    awaited_ = std::vector<std::atomic<std::uint32_t>>(static_cast<std::size_t>(size));
    mpi::check(MPI_Allgather(&inbox, sizeof inbox, MPI_BYTE, inbox_of_.data(), sizeof inbox, MPI_BYTE, world),
               "MPI_Allgather");
}

Notifier::~Notifier() { heap_.release_internal(reinterpret_cast<std::byte*>(inbox_of_[static_cast<std::size_t>(me_)])); }

int Notifier::notify(int process)
{
    wait::Word& word = inbox_of_[static_cast<std::size_t>(process)][me_].word;
    const std::uint32_t sent = word.value.fetch_add(1, std::memory_order_seq_cst) + 1;
    wait::wake(word);
    return static_cast<int>(sent);
}

int Notifier::wait(int process)
{
    const std::uint32_t next = awaited_[static_cast<std::size_t>(process)].fetch_add(1, std::memory_order_relaxed) + 1;
    wait::Word& word = inbox_of_[static_cast<std::size_t>(me_)][process].word;
    wait::until(word, [next](std::uint32_t received) { return static_cast<std::int32_t>(received - next) >= 0; });
    return static_cast<int>(next);
}

} // namespace armci::gmr
