#include "mutex/mutex_set.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/observe.hpp"
#include "armci/base/thread_number.hpp"
#include "armci/base/wait.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/transfer/remote.hpp"
#include "mutex/hybrid.hpp"
#include "mutex/mcs.hpp"
#include "mutex/node.hpp"
#include "mutex/queueing.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace armci::mutex {
namespace {

const char* name_of(MutexMethod method)
{
    return method == MutexMethod::node ? "node" : method == MutexMethod::hybrid ? "hybrid" : "mcs";
}

// What the user wants where it can be; else node within one node, and between nodes hybrid, or mcs where no
// node has several processes (docs/design/0008). `neighbours`: some node has.
MutexMethod choose(MutexMethod wanted, const gmr::Team& team, bool neighbours, gmr::GlobalMemory& memory)
{
    const bool shares = memory.network() == nullptr || memory.network()->load_store();
    const MutexMethod best = team.on_one_node()     ? MutexMethod::node
                             : neighbours && shares ? MutexMethod::hybrid
                                                    : MutexMethod::mcs;
    static std::atomic<bool> told{false};
    const char* cannot = nullptr;
    if (wanted == MutexMethod::node && !team.on_one_node())
        cannot = "ARMCI_MUTEX_METHOD=node serves one node, and these mutexes several";
    else if (wanted == MutexMethod::hybrid && !shares)
        cannot = "ARMCI_MUTEX_METHOD=hybrid needs memory that CPUs and MPI share";
    if (cannot != nullptr && team.rank() == 0 && !told.exchange(true))
        diag::warn("%s; %s takes its place", cannot, name_of(best));
    return wanted == MutexMethod::automatic || cannot != nullptr ? best : wanted;
}

// The greatest number that a message can carry as its tag.
std::size_t most_tag(MPI_Comm comm)
{
    void* value = nullptr;
    int found = 0;
    mpi::check(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    return found != 0 ? static_cast<std::size_t>(*static_cast<const int*>(value)) : 32767;
}

// Sets that need MPI in a job that does not otherwise.
std::atomic<int> driven_sets{0};

} // namespace

std::unique_ptr<MutexSet> MutexSet::create(const char* call, gmr::Team& team, gmr::GlobalMemory& memory,
                                           const Settings& settings, int count)
{
    std::unique_ptr<MutexSet> set(new MutexSet(team, memory));
    set->parts_ = team.exchange(Part{count, count < 0 ? 1 : 0, nullptr, team.local_size()});
    if (!set->agree(call))
        return nullptr;
    const bool neighbours = std::any_of(set->parts_.begin(), set->parts_.end(),
                                        [](const Part& part) { return part.on_its_node > 1; });
    set->algorithm_ = set->make(call, choose(settings.mutex_method, team, neighbours, memory), settings);
    return set->algorithm_ ? std::move(set) : nullptr;
}

std::unique_ptr<Algorithm> MutexSet::make(const char* call, MutexMethod method, const Settings& settings)
{
    std::vector<int> counts;
    for (const Part& part : parts_)
        counts.push_back(part.count);
    const Numbers numbers(counts);
    if (method != MutexMethod::node && numbers.total() > most_tag(team_.comm())) {
        const int who = static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        diag::reject_together(team_.rank() == who, call,
                              "process %d asked for %d mutexes, which makes %zu in all; over this MPI a set "
                              "can have %zu",
                              team_.member(who), counts[static_cast<std::size_t>(who)], numbers.total(),
                              most_tag(team_.comm()));
        return nullptr;
    }

    Part mine = parts_[static_cast<std::size_t>(team_.rank())];
    const std::uint64_t turns = Turns::bytes(numbers.total());
    // What a node shares starts behind the window of its first process.
    const std::uint64_t window = Hybrid::window_bytes(team_, numbers);
    switch (method) {
    case MutexMethod::queueing:
        place(mine, Queueing::window_bytes(team_, numbers), turns);
        break;
    case MutexMethod::mcs:
        place(mine, Mcs::window_bytes(numbers), turns);
        break;
    case MutexMethod::hybrid:
        place(mine, window + (team_.local_rank() == 0 ? Hybrid::node_bytes(numbers) : 0), 0);
        break;
    default:
        place(mine, static_cast<std::uint64_t>(mine.count) * sizeof(Node::Slot), 0);
    }
    parts_ = team_.exchange(mine);
    if (!agree(call))
        return nullptr;
    if (method != MutexMethod::node && memory_.network() == nullptr)
        drive_mpi();

    std::vector<std::byte*> near; // memory of my node by team rank
    near.reserve(static_cast<std::size_t>(team_.size()));
    for (int rank = 0; rank < team_.size(); ++rank)
        near.push_back(team_.on_my_node(rank) ? parts_[static_cast<std::size_t>(rank)].memory : nullptr);
    switch (method) {
    case MutexMethod::queueing:
        return std::make_unique<Queueing>(team_, mine.memory, numbers);
    case MutexMethod::mcs:
        return std::make_unique<Mcs>(team_, mine.memory, settings.epochs, numbers);
    case MutexMethod::hybrid: {
        std::byte* const first = *std::find_if(near.begin(), near.end(),
                                               [](const std::byte* memory) { return memory != nullptr; });
        return std::make_unique<Hybrid>(team_, near, first + window, settings, numbers);
    }
    default: {
        std::vector<Node::Slot*> slots;
        slots.reserve(near.size());
        for (std::byte* const memory : near)
            slots.push_back(reinterpret_cast<Node::Slot*>(memory));
        return std::make_unique<Node>(team_.rank(), std::move(slots));
    }
    }
}

void MutexSet::drive_mpi()
{
    drives_mpi_ = true;
    if (driven_sets++ > 0)
        return;
    wait::set_network(true);
    gmr::peers.detours.set(gmr::Detours::progress);
}

void MutexSet::place(Part& part, std::uint64_t bytes, std::uint64_t other_bytes)
{
    if (bytes == 0)
        return;
    std::uint64_t available = 0;
    if (memory_.budget().take(bytes + other_bytes, available)) {
        taken_ = bytes + other_bytes;
        placed_ = memory_.heap().place_internal(bytes);
    }
    part.memory = placed_;
    part.problem = placed_ == nullptr ? 1 : 0;
}

bool MutexSet::agree(const char* call)
{
    const auto bad =
        std::find_if(parts_.begin(), parts_.end(), [](const Part& part) { return part.problem; });
    if (bad == parts_.end())
        return true;
    // Together they may be too many where each alone is not: then the largest is named.
    const auto named = bad->count < 0
                           ? bad
                           : std::max_element(parts_.begin(), parts_.end(),
                                              [](const Part& a, const Part& b) { return a.count < b.count; });
    const int who = static_cast<int>(named - parts_.begin());
    diag::reject_together(
        team_.rank() == who, call,
        "process %d asked for %d mutexes; the number must be 0 or more and they must fit the memory of "
        "the node",
        team_.member(who), named->count);
    return false;
}

int MutexSet::close(const char* call)
{
    struct Claim {
        int held; // a mutex of mine that somebody holds; -1 for none
    };
    team_.barrier(); // whoever unlocked before this call has done so everywhere
    Claim claim{-1};
    for (int i = 0; i < my_count() && claim.held < 0; ++i)
        if (algorithm_->is_held(i))
            claim.held = i;
    const auto claims = team_.exchange(claim);
    const auto held =
        std::find_if(claims.begin(), claims.end(), [](const Claim& one) { return one.held >= 0; });
    if (held == claims.end())
        return 0;
    const int who = static_cast<int>(held - claims.begin());
    return diag::reject_together(team_.rank() == who, call,
                                 "mutex %d of process %d is still held; unlock it first", held->held,
                                 team_.member(who));
}

MutexSet::~MutexSet()
{
    algorithm_.reset();
    if (drives_mpi_ && --driven_sets == 0) {
        wait::set_network(false);
        gmr::peers.detours.clear(gmr::Detours::progress);
    }
    if (placed_ != nullptr)
        memory_.heap().release_internal(placed_);
    memory_.budget().give_back(taken_);
}

int MutexSet::check(const char* call, int mutex, int owner) const
{
    if (owner < 0 || owner >= team_.size())
        return diag::reject(call, "process %d does not exist; it must be 0 to %d", owner, team_.size() - 1);
    const int count = parts_[static_cast<std::size_t>(owner)].count;
    if (mutex >= 0 && mutex < count)
        return 0;
    return diag::reject(call, "mutex %d of process %d does not exist; that process created %d", mutex,
                        team_.member(owner), count);
}

std::uint64_t MutexSet::name(int mutex, int owner) const
{
    std::uint64_t set = 0; // where its memory lies
    for (const Part& part : parts_)
        set = set * 31 + reinterpret_cast<std::uintptr_t>(part.memory);
    return armci::check::object(armci::check::Object::mutex, set, static_cast<std::uint64_t>(owner),
                                static_cast<std::uint64_t>(mutex));
}

std::uint64_t MutexSet::this_thread() const
{
    return static_cast<std::uint64_t>(team_.rank() + 1) << 32 | thread_number();
}

void MutexSet::lock_observed(const char* call, int mutex, int owner, std::uint64_t thread)
{
    {
        const observe::Waiting waiting(call, observe::Wait::lock);
        algorithm_->lock(mutex, owner, thread);
    }
    if (armci::check::active)
        armci::check::acquire(name(mutex, owner));
}

int MutexSet::lock(const char* call, int mutex, int owner)
{
    if (const int error = check(call, mutex, owner))
        return error;
    const std::uint64_t thread = this_thread();
    if (algorithm_->holder(mutex, owner) == thread)
        return diag::reject(call,
                            "mutex %d of process %d is already held by this thread; it would wait for ever",
                            mutex, team_.member(owner));
    if (observe::active) [[unlikely]]
        lock_observed(call, mutex, owner, thread);
    else
        algorithm_->lock(mutex, owner, thread);
    return 0;
}

int MutexSet::try_lock(const char* call, int mutex, int owner, bool& taken)
{
    taken = false;
    if (const int error = check(call, mutex, owner))
        return error;
    const std::uint64_t thread = this_thread();
    taken = algorithm_->holder(mutex, owner) != thread && algorithm_->try_lock(mutex, owner, thread);
    if (taken && armci::check::active) [[unlikely]]
        armci::check::acquire(name(mutex, owner));
    if (!taken && wait::network())
        wait::progress(); // the caller will try again, and the holder may wait for me to enter MPI
    return 0;
}

int MutexSet::unlock(const char* call, int mutex, int owner)
{
    if (const int error = check(call, mutex, owner))
        return error;
    if (algorithm_->holder(mutex, owner) != this_thread())
        return diag::reject(
            call, "mutex %d of process %d is not held by this thread; only its holder may unlock it", mutex,
            team_.member(owner));
    if (armci::check::active) [[unlikely]]
        armci::check::release(name(mutex, owner));
    // The next owner, on this node or another, is to see what I did anywhere.
    if (wait::network())
        gmr::remote::fence_all();
    algorithm_->unlock(mutex, owner);
    return 0;
}

int MutexSet::most_count() const
{
    return std::max_element(parts_.begin(), parts_.end(),
                            [](const Part& a, const Part& b) { return a.count < b.count; })
        ->count;
}

} // namespace armci::mutex
