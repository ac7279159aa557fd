#include "gmr/notify.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/transfer/remote.hpp"

#include <algorithm>

namespace armci::gmr {

Notifier::Notifier(MPI_Comm world, const Topology& topology, Heap& heap, Translation* network)
    : topology_(topology), heap_(heap)
{
    int size = 0;
    mpi::check(MPI_Comm_rank(world, &me_), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &size), "MPI_Comm_size");
    const std::size_t bytes = std::max(static_cast<std::size_t>(size) * sizeof(Counter), window_alignment);
    auto* inbox = reinterpret_cast<Counter*>(heap.place_internal(bytes));
    if (inbox == nullptr)
        diag::fatal("ARMCI_Init", "no address range left for %d notify counters", size);
    inbox_of_.resize(topology.members(topology.my_node()).size());
    awaited_ = std::vector<std::atomic<std::uint32_t>>(static_cast<std::size_t>(size));
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the address itself goes out
    mpi::allgather(&inbox, inbox_of_.data(), sizeof inbox, topology.node_comm());
    if (network != nullptr)
        window_ = Window::over(world, inbox, bytes, network->settings().epochs);
}

Notifier::~Notifier()
{
    window_.reset();
    heap_.release_internal(reinterpret_cast<std::byte*>(inbox_of(me_)));
}

int Notifier::notify(int process)
{
    if (window_)
        remote::fence(process);
    if (!topology_.same_node(process)) {
        Target counter;
        counter.window = window_.get();
        counter.process = counter.rank = process;
        counter.displacement = static_cast<std::uint64_t>(me_) * sizeof(Counter);
        const std::uint32_t one = 1;
        std::uint32_t before = 0;
        remote::fetch_and_op(counter, MPI_UINT32_T, MPI_SUM, &one, &before);
        return static_cast<int>(before + 1);
    }
    wait::Word& word = inbox_of(process)[me_].word;
    const std::uint32_t sent = word.value.fetch_add(1, std::memory_order_seq_cst) + 1;
    wait::wake(word);
    return static_cast<int>(sent);
}

int Notifier::wait(int process)
{
    const observe::Waiting waiting("armci_notify_wait", observe::Wait::notify);
    const std::uint32_t next =
        awaited_[static_cast<std::size_t>(process)].fetch_add(1, std::memory_order_relaxed) + 1;
    wait::Word& word = inbox_of(me_)[process].word;
    wait::until(word,
                [next](std::uint32_t received) { return static_cast<std::int32_t>(received - next) >= 0; });
    return static_cast<int>(next);
}

} // namespace armci::gmr
