#include "mutex/mutex_set.hpp"

#include "armci/base/diagnostics.hpp"

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

std::unique_ptr<MutexSet> MutexSet::create(const char* call, gmr::Team& team, gmr::GlobalMemory& memory, int count)
{
    std::unique_ptr<MutexSet> set(new MutexSet(team, memory));
    Part mine{nullptr, count, 0};
    if (count > 0 && team.on_one_node()) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(count) * sizeof(Slot);
        std::uint64_t available = 0;
        if (memory.budget().take(bytes, available)) {
            mine.slots = reinterpret_cast<Slot*>(memory.heap().place_internal(bytes));
            if (mine.slots == nullptr) memory.budget().give_back(bytes);
        }
    }
    if (count < 0 || (count > 0 && team.on_one_node() && mine.slots == nullptr)) mine.problem = 1;
    set->parts_ = team.exchange(mine);

    const auto bad = std::find_if(set->parts_.begin(), set->parts_.end(), [](const Part& part) { return part.problem; });
    if (bad != set->parts_.end()) {
        const int who = static_cast<int>(bad - set->parts_.begin());
        diag::reject_together(team.rank() == who, call,
                              "process %d asked for %d mutexes of %zu bytes; the number must be 0 or more and they must fit "
                              "the memory of the node",
                              team.member(who), bad->count, sizeof(Slot));
        return nullptr;
    }
    if (!team.on_one_node()) {
        std::vector<int> counts;
        for (const Part& part : set->parts_) counts.push_back(part.count);
        set->mcs_ = std::make_unique<Mcs>(team, memory.heap(), memory.network()->settings(), counts);
    }
    return set;
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
        if (mcs_ ? mcs_->tail_of_mine(i) >= 0 : mine.slots[i].mutex.holder() != 0) claim.held = i;
    const auto claims = team_.exchange(claim);
    const auto held = std::find_if(claims.begin(), claims.end(), [](const Claim& one) { return one.held >= 0; });
    if (held == claims.end()) return 0;
    const int who = static_cast<int>(held - claims.begin());
    return diag::reject_together(team_.rank() == who, call,
                                 "mutex %d of process %d is still held; unlock it first", held->held,
                                 team_.member(who));
}

MutexSet::~MutexSet()
{
    mcs_.reset();
    if (parts_.empty()) return;
    const Part& mine = parts_[static_cast<std::size_t>(team_.rank())];
    if (mine.slots == nullptr) return;
    memory_.heap().release_internal(reinterpret_cast<std::byte*>(mine.slots));
    memory_.budget().give_back(static_cast<std::uint64_t>(mine.count) * sizeof(Slot));
}

int MutexSet::check(const char* call, int mutex, int owner) const
{
    if (owner < 0 || owner >= team_.size())
        return diag::reject(call, "process %d does not exist; it must be 0 to %d", owner, team_.size() - 1);
    const int count = parts_[static_cast<std::size_t>(owner)].count;
    if (mutex >= 0 && mutex < count) return 0;
    return diag::reject(call, "mutex %d of process %d does not exist; that process created %d", mutex, owner, count);
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
    if (const int error = check(call, mutex, owner)) return error;
    if (holder(mutex, owner) == this_thread())
        return diag::reject(call, "mutex %d of process %d is already held by this thread; it would wait for ever", mutex,
                            owner);
    if (mcs_)
        mcs_->lock(mutex, owner, this_thread());
    else
        node_mutex(mutex, owner).lock(this_thread());
    return 0;
}

int MutexSet::try_lock(const char* call, int mutex, int owner, bool& taken)
{
    taken = false;
    if (const int error = check(call, mutex, owner)) return error;
    taken = mcs_ ? mcs_->try_lock(mutex, owner, this_thread()) : node_mutex(mutex, owner).try_lock(this_thread());
    return 0;
}

int MutexSet::unlock(const char* call, int mutex, int owner)
{
    if (const int error = check(call, mutex, owner)) return error;
    if (holder(mutex, owner) != this_thread())
        return diag::reject(call, "mutex %d of process %d is not held by this thread; only its holder may unlock it",
                            mutex, owner);
    if (mcs_)
        mcs_->unlock(mutex, owner);
    else
        node_mutex(mutex, owner).unlock();
    return 0;
}

int MutexSet::most_count() const
{
    return std::max_element(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.count < b.count; })
        ->count;
}

} // namespace armci::mutex
