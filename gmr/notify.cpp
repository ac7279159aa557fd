#include "gmr/notify.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/active_messages/active_messages.hpp"
#include "gmr/transfer/remote.hpp"

#include <algorithm>

namespace armci::gmr {

Notifier::Notifier(MPI_Comm world, const Topology& topology, Heap& heap, Translation* network)
    : topology_(topology), heap_(heap), network_(network)
{
    mpi::check(MPI_Comm_rank(world, &me_), "MPI_Comm_rank");
    const std::size_t neighbours = topology.members(topology.my_node()).size();
    const std::size_t bytes =
        std::max(near_counters_at() + neighbours * sizeof(NearCounter), std::size_t{window_alignment()});
    std::byte* const inbox = heap.place_internal(bytes);
    if (inbox == nullptr)
        diag::fatal("ARMCI_Init", "no address range left for %d notify counters", topology.processes());
    inbox_of_.resize(neighbours);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the address itself goes out
    mpi::allgather(&inbox, inbox_of_.data(), sizeof inbox, topology.node_comm());
    if (ActiveMessages::the_one() != nullptr) {
        const auto offset = static_cast<std::uint64_t>(inbox - heap_.slice());
        std::vector<std::uint64_t> all(static_cast<std::size_t>(topology_.processes()));
        mpi::allgather(&offset, all.data(), sizeof offset, world);
        inbox_at_ = Runs(all);
    } else if (network != nullptr) {
        window_ = Window::over(world, inbox, bytes, network->settings().epochs);
    }
}

Notifier::~Notifier()
{
    window_.reset();
    heap_.release_internal(inbox_of(me_));
}

// On a line of its own, alike for all receivers.
std::size_t Notifier::near_counters_at() const
{
    const std::size_t words = static_cast<std::size_t>(topology_.processes()) * sizeof(wait::Word);
    return (words + sizeof(NearCounter) - 1) / sizeof(NearCounter) * sizeof(NearCounter);
}

wait::Word& Notifier::counter(int receiver, int sender) const
{
    std::byte* const inbox = inbox_of(receiver);
    if (!topology_.same_node(sender))
        return reinterpret_cast<wait::Word*>(inbox)[sender];
    return reinterpret_cast<NearCounter*>(inbox + near_counters_at())[topology_.node_rank(sender)].word;
}

std::uint32_t Notifier::send(int process)
{
    const std::byte* const inbox = network_->slice(process) + inbox_at_.of(process);
    const auto* const word = reinterpret_cast<const wait::Word*>(inbox) + me_;
    const std::lock_guard lock(guard_);
    ActiveMessages::the_one()->send(process, {reinterpret_cast<std::uintptr_t>(word),
                                              active_messages::Operation::notify, sizeof word->value,
                                              active_messages::widened(std::uint32_t{1}), 0});
    return ++sent_[process];
}

int Notifier::notify(int process)
{
    if (!topology_.same_node(process) && ActiveMessages::the_one() != nullptr)
        return static_cast<int>(send(process));
    if (window_)
        remote::fence(process);
    if (!topology_.same_node(process)) {
        Target counter;
        counter.window = window_.get();
        counter.process = counter.rank = process;
        counter.displacement = static_cast<std::uint64_t>(me_) * sizeof(wait::Word);
        const std::uint32_t one = 1;
        std::uint32_t before = 0;
        remote::fetch_and_op(counter, MPI_UINT32_T, MPI_SUM, &one, &before);
        return static_cast<int>(before + 1);
    }
    wait::Word& word = counter(process, me_);
    const std::uint32_t sent = word.value.fetch_add(1, std::memory_order_seq_cst) + 1;
    wait::wake(word);
    return static_cast<int>(sent);
}

int Notifier::wait(int process)
{
    const observe::Waiting waiting("armci_notify_wait", observe::Wait::notify);
    std::uint32_t next = 0;
    {
        const std::lock_guard lock(guard_);
        next = ++awaited_[process];
    }
    wait::Word& word = counter(me_, process);
    wait::until(word,
                [next](std::uint32_t received) { return static_cast<std::int32_t>(received - next) >= 0; });
    return static_cast<int>(next);
}

} // namespace armci::gmr
