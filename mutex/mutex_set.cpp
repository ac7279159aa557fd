#include "mutex/mutex_set.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/wait.hpp"
#include "gmr/remote.hpp"

#include <unistd.h>

#include <algorithm>

namespace armci::mutex {
namespace {

// Names this thread in a mutex: its kernel id, unique on the node.
std::uint64_t this_thread()
{
    thread_local const auto id = static_cast<std::uint64_t>(gettid());
    return id;
}

} // namespace

std::unique_ptr<MutexSet> MutexSet::create(const char* call, gmr::Team& team, gmr::GlobalMemory& memory,
                                           int count)
{
    std::unique_ptr<MutexSet> set(new MutexSet(team, memory));
    Part mine{nullptr, count, count < 0 ? 1 : 0};
    if (count > 0 && team.on_one_node())
        mine.slots =
            reinterpret_cast<Slot*>(set->place(mine, static_cast<std::uint64_t>(count) * sizeof(Slot), 0));
    set->parts_ = team.exchange(mine);
    if (!set->agree(call))
        return nullptr;
    if (team.on_one_node())
        return set;

    std::vector<int> counts;
    for (const Part& part : set->parts_)
        counts.push_back(part.count);
    std::byte* const window = set->place(mine, Mcs::window_bytes(counts), Mcs::other_bytes(counts));
    set->parts_ = team.exchange(mine);
    if (!set->agree(call))
        return nullptr;
    set->mcs_ = std::make_unique<Mcs>(team, window, memory.network()->settings(), counts);
    return set;
}

std::byte* MutexSet::place(Part& part, std::uint64_t bytes, std::uint64_t other_bytes)
{
    std::uint64_t available = 0;
    if (memory_.budget().take(bytes + other_bytes, available)) {
        taken_ = bytes + other_bytes;
        placed_ = memory_.heap().place_internal(bytes);
    }
    part.problem = placed_ == nullptr ? 1 : 0;
    return placed_;
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
    const Part& mine = parts_[static_cast<std::size_t>(team_.rank())];
    for (int i = 0; i < mine.count && claim.held < 0; ++i)
        if (mcs_ ? mcs_->tail_of_mine(i) >= 0 : mine.slots[i].mutex.holder() != 0)
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
    mcs_.reset();
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
    return diag::reject(call, "mutex %d of process %d does not exist; that process created %d", mutex, owner,
                        count);
}

NodeMutex& MutexSet::node_mutex(int mutex, int owner) const
{
    return parts_[static_cast<std::size_t>(owner)].slots[mutex].mutex;
}

std::uint64_t MutexSet::holder(int mutex, int owner) const
{
    return mcs_ ? mcs_->holder(mutex, owner) : node_mutex(mutex, owner).holder();
}

int MutexSet::lock(const char* call, int mutex, int owner)
{
    if (const int error = check(call, mutex, owner))
        return error;
    if (holder(mutex, owner) == this_thread())
        return diag::reject(call,
                            "mutex %d of process %d is already held by this thread; it would wait for ever",
                            mutex, owner);
    if (mcs_)
        mcs_->lock(mutex, owner, this_thread());
    else
        node_mutex(mutex, owner).lock(this_thread());
    return 0;
}

int MutexSet::try_lock(const char* call, int mutex, int owner, bool& taken)
{
    taken = false;
    if (const int error = check(call, mutex, owner))
        return error;
    taken =
        mcs_ ? mcs_->try_lock(mutex, owner, this_thread()) : node_mutex(mutex, owner).try_lock(this_thread());
    if (!taken && wait::network())
        wait::progress(); // the caller will try again, and the holder may wait for me to enter MPI
    return 0;
}

int MutexSet::unlock(const char* call, int mutex, int owner)
{
    if (const int error = check(call, mutex, owner))
        return error;
    if (holder(mutex, owner) != this_thread())
        return diag::reject(
            call, "mutex %d of process %d is not held by this thread; only its holder may unlock it", mutex,
            owner);
    // The next owner, on this node or another, is to see what I did anywhere.
    if (wait::network())
        gmr::remote::fence_all();
    if (mcs_)
        mcs_->unlock(mutex, owner);
    else
        node_mutex(mutex, owner).unlock();
    return 0;
}

int MutexSet::most_count() const
{
    return std::max_element(parts_.begin(), parts_.end(),
                            [](const Part& a, const Part& b) { return a.count < b.count; })
        ->count;
}

} // namespace armci::mutex
