#include "mutex/mcs.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/wait.hpp"
#include "gmr/remote.hpp"

#include <algorithm>
#include <numeric>

namespace armci::mutex {
namespace {

constexpr std::int32_t nobody = 0; // processes are numbered from 1 in the words

} // namespace

std::uint64_t Mcs::window_bytes(const std::vector<int>& counts)
{
    const auto most = static_cast<std::uint64_t>(*std::max_element(counts.begin(), counts.end()));
    const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    return std::max<std::uint64_t>((most + total) * sizeof(std::int32_t), gmr::window_alignment);
}

std::uint64_t Mcs::other_bytes(const std::vector<int>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) * sizeof(Local);
}

Mcs::Mcs(gmr::Team& team, std::byte* memory, const Settings& settings, const std::vector<int>& counts)
    : team_(team), messages_(mpi::Comm::duplicate(team.comm())),
      most_(static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end())))
{
    for (const int count : counts) {
        first_.push_back(total_);
        total_ += static_cast<std::size_t>(count);
    }
    window_ = gmr::Window::over(team.comm(), memory, window_bytes(counts), settings.epochs);
    local_ = std::make_unique<Local[]>(total_);
}

Mcs::~Mcs() = default;

std::size_t Mcs::number(int mutex, int owner) const
{
    return first_[static_cast<std::size_t>(owner)] + static_cast<std::size_t>(mutex);
}

gmr::Target Mcs::word(int rank, std::size_t index) const
{
    gmr::Target target;
    target.window = window_.get();
    target.rank = rank;
    target.process = team_.member(rank);
    target.displacement = index * sizeof(std::int32_t);
    return target;
}

std::int32_t Mcs::swap(const gmr::Target& word, std::int32_t value) const
{
    std::int32_t old = nobody;
    gmr::remote::fetch_and_op(word, MPI_INT32_T, MPI_REPLACE, &value, &old);
    return old;
}

std::int32_t Mcs::compare_and_swap(const gmr::Target& word, std::int32_t expected, std::int32_t value) const
{
    std::int32_t old = nobody;
    gmr::remote::compare_and_swap(word, MPI_INT32_T, &expected, &value, &old);
    return old;
}

std::int32_t Mcs::read(const gmr::Target& word) const
{
    const std::int32_t unused = nobody;
    std::int32_t value = nobody;
    gmr::remote::fetch_and_op(word, MPI_INT32_T, MPI_NO_OP, &unused, &value);
    return value;
}

void Mcs::lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = number(mutex, owner);
    local_[n].turn.lock();
    const std::int32_t me = team_.rank() + 1;
    const std::size_t follower = static_cast<std::size_t>(most_) + n;
    swap(word(team_.rank(), follower), nobody);
    const std::int32_t before = swap(word(owner, static_cast<std::size_t>(mutex)), me);
    if (before != nobody) {
        swap(word(before - 1, follower), me);
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check(
            MPI_Irecv(nullptr, 0, MPI_BYTE, before - 1, static_cast<int>(n), messages_.get(), &request),
            "MPI_Irecv");
        mpi::finish(request);
    }
    local_[n].holder.store(thread, std::memory_order_relaxed);
}

bool Mcs::try_lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = number(mutex, owner);
    if (!local_[n].turn.try_lock())
        return false;
    swap(word(team_.rank(), static_cast<std::size_t>(most_) + n), nobody);
    if (compare_and_swap(word(owner, static_cast<std::size_t>(mutex)), nobody, team_.rank() + 1) != nobody) {
        local_[n].turn.unlock();
        return false;
    }
    local_[n].holder.store(thread, std::memory_order_relaxed);
    return true;
}

void Mcs::unlock(int mutex, int owner)
{
    const std::size_t n = number(mutex, owner);
    local_[n].holder.store(0, std::memory_order_relaxed);
    const gmr::Target mine = word(team_.rank(), static_cast<std::size_t>(most_) + n);
    std::int32_t follower = read(mine);
    const std::int32_t me = team_.rank() + 1;
    if (follower == nobody &&
        compare_and_swap(word(owner, static_cast<std::size_t>(mutex)), me, nobody) != me) {
        // Somebody is behind me in the tail and about to write itself into my word.
        while ((follower = read(mine)) == nobody)
            wait::yield();
    }
    if (follower != nobody)
        mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, follower - 1, static_cast<int>(n), messages_.get()),
                   "MPI_Send");
    local_[n].turn.unlock();
}

std::uint64_t Mcs::holder(int mutex, int owner) const
{
    return local_[number(mutex, owner)].holder.load(std::memory_order_relaxed);
}

int Mcs::tail_of_mine(int mutex)
{
    return read(word(team_.rank(), static_cast<std::size_t>(mutex))) - 1;
}

} // namespace armci::mutex
