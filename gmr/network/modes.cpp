#include "gmr/network/modes.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/statistics.hpp"
#include "armci/base/wait.hpp"
#include "gmr/network/atomics.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/rma.hpp"

#include <algorithm>

namespace armci::gmr {
namespace {

constexpr std::size_t line_bytes = 64;

// A turn's word: threads that are counted in, below; how often one came, above.
constexpr std::uint64_t one_inside = 1;
constexpr std::uint64_t inside_bits = 0xffff;
constexpr std::uint64_t one_came = inside_bits + 1;

// Asking costs two round trips, so MPI keeps a target for twice as long each time that its policy finds fit.
constexpr std::uint64_t most_epochs = 64;
// CPUs' operations in an epoch that cost less by MPI than asking does.
constexpr std::uint64_t few_turns = 2;

thread_local std::uint64_t issuing_epoch = 0;

} // namespace

Modes* Modes::the_one_ = nullptr;

Modes::Modes(MPI_Comm world, const Topology& topology, Heap& heap, const Settings& settings,
             bool fetches_only)
    : topology_(topology), heap_(heap), policy_(settings.atomics_policy), fetches_only_(fetches_only),
      first_(topology.members(topology.my_node()).front()),
      near_(static_cast<std::size_t>(topology.members(topology.my_node()).back() - first_) + 1)
{
    int me = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    my_line_ = 1 + static_cast<std::size_t>(topology.node_rank(me));
    const std::uint64_t bytes = std::max<std::uint64_t>((1 + turns_of(me)) * line_bytes, window_alignment());
    memory_ = heap.place_internal(bytes);
    if (memory_ == nullptr)
        diag::fatal("ARMCI_Init",
                    "no address range left for the modes of %zu processes; raise ARMCI_ARENA_SIZE",
                    turns_of(me));
    const NodeMembers neighbours = topology.members(topology.my_node());
    std::vector<std::byte*> bases(neighbours.size());
    mpi::allgather(&memory_, bases.data(), sizeof memory_, topology.node_comm());
    for (std::size_t i = 0; i < bases.size(); ++i)
        near_[static_cast<std::size_t>(neighbours[i] - first_)] = bases[i];
    window_ = Window::over(world, memory_, bytes, settings.epochs);
    the_one_ = this;
}

Modes::~Modes()
{
    the_one_ = nullptr;
    completion::forget(*window_);
    window_.reset();
    heap_.release_internal(memory_);
}

std::atomic_ref<std::uint64_t> Modes::word(int process, std::size_t line, std::size_t kind) const
{
    std::byte* const base = near_[static_cast<std::size_t>(process - first_)] + line * line_bytes;
    return std::atomic_ref(reinterpret_cast<std::uint64_t*>(base)[kind]);
}

Target Modes::at(int process, std::size_t line, std::size_t kind) const
{
    Target target;
    target.window = window_.get();
    target.rank = process;
    target.process = process;
    target.displacement = line * line_bytes + kind * sizeof(std::uint64_t);
    return target;
}

bool Modes::enter(int process, Access kind)
{
    const std::size_t index = index_of(kind);
    word(process, my_line_, index).fetch_add(one_came + one_inside, std::memory_order_seq_cst);
    if (word(process, 0, index).load(std::memory_order_seq_cst) < cpu_epoch_.load(std::memory_order_acquire))
        return true;
    leave(process, kind);
    return false;
}

void Modes::leave(int process, Access kind)
{
    word(process, my_line_, index_of(kind)).fetch_sub(one_inside, std::memory_order_release);
}

void Modes::enter_mpi(int process, Access kind)
{
    for (;;) {
        issuing_epoch = mpi_epoch_.load(std::memory_order_seq_cst);
        issuing_[issuing_epoch & 1].fetch_add(1, std::memory_order_seq_cst);
        if (mpi_epoch_.load(std::memory_order_seq_cst) == issuing_epoch)
            break;
        leave_mpi(); // close_epoch() may have found nobody
    }
    if (fetches_only_ && kind != Access::fetch_and_op)
        return;
    const std::lock_guard lock(guard_);
    Claim& mine = claims_[process][index_of(kind)];
    if (mine.until < issuing_epoch)
        claim(process, index_of(kind), issuing_epoch, mine);
}

void Modes::leave_mpi()
{
    issuing_[issuing_epoch & 1].fetch_sub(1, std::memory_order_release);
}

void Modes::close_epoch()
{
    const std::uint64_t closed = mpi_epoch_.fetch_add(1, std::memory_order_seq_cst);
    wait::until([&] { return issuing_[closed & 1].load(std::memory_order_seq_cst) == 0; });
}

void Modes::open_epoch()
{
    cpu_epoch_.store(mpi_epoch_.load(std::memory_order_relaxed), std::memory_order_release);
}

void Modes::claim(int process, std::size_t kind, std::uint64_t epoch, Claim& mine)
{
    const bool near = topology_.same_node(process);
    const std::uint64_t epochs = near ? 1 : wanted_epochs(epoch, mine);
    std::uint64_t until = near ? word(process, 0, kind).load(std::memory_order_seq_cst) : 0;
    if (until < epoch) {
        const std::uint64_t wanted = epoch + epochs - 1;
        const Target target = at(process, 0, kind);
        atomics::fetch_and_op_at_once(target, MPI_UINT64_T, MPI_MAX, &wanted,
                                      &until); // before turns are read
        if (until < epoch && !near)
            observe::statistics::count_switch();
        until = std::max(until, wanted);
    }
    const std::uint64_t turns = drain(process, kind);
    mine = {.until = until,
            .asked = epoch,
            .epochs = epochs,
            .turns = turns,
            .quiet = turns - mine.turns <= few_turns * (epoch - mine.asked)};
}

std::uint64_t Modes::wanted_epochs(std::uint64_t epoch, const Claim& mine) const
{
    const std::uint64_t twice = std::min(2 * mine.epochs, most_epochs);
    switch (policy_) {
    case AtomicsPolicy::automatic:
    case AtomicsPolicy::turns:
    case AtomicsPolicy::pattern:
        return mine.quiet ? twice : 1;
    case AtomicsPolicy::history:
        return mine.asked != 0 && epoch <= mine.until + mine.epochs ? twice : 1;
    default:
        return 1;
    }
}

namespace {

void read(const Target& target, std::uint64_t* words, std::uint64_t bytes)
{
    completion::begin(target, bytes, Access::get);
    rma::get(target, words, bytes);
    completion::end_complete(target);
}

} // namespace

std::uint64_t Modes::drain(int process, std::size_t kind)
{
    constexpr std::size_t words = line_bytes / sizeof(std::uint64_t);
    static_assert(kinds <= words);
    const bool near = topology_.same_node(process);
    const std::size_t lines = turns_of(process);
    std::vector<std::uint64_t> copy(near ? 0 : lines * words);
    std::uint64_t came = 0;
    for (std::size_t line = 0; line < lines;) {
        if (!near)
            read(at(process, 1 + line, 0), &copy[line * words], (lines - line) * line_bytes);
        for (; line < lines; ++line) {
            const std::uint64_t turn = near ? word(process, 1 + line, kind).load(std::memory_order_seq_cst)
                                            : copy[line * words + kind];
            if ((turn & inside_bits) != 0)
                break; // whoever was seen out before comes back only to find `until` raised
            came += turn / one_came;
        }
        if (line < lines)
            wait::turn(); // the one inside may wait for a core, others for me
    }
    return came;
}

} // namespace armci::gmr
