#include "gmr/network/kept_windows.hpp"

#include "armci/base/immortal.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "gmr/memory/heap.hpp"

#include <cstdlib>
#include <mutex>
#include <vector>

namespace armci::gmr {
namespace {

// A page of its own: a registered one may be missing in a child of fork().
struct Kept {
    void* page;
    MPI_Win window;
};

std::mutex guard; // threads may make windows of several groups at once
constinit Immortal<std::vector<Kept>> the_kept;
std::vector<Kept>& kept = the_kept.value;

bool has_one()
{
    const std::lock_guard lock(guard);
    return !kept.empty();
}

Kept make(MPI_Comm comm)
{
    Kept made{std::aligned_alloc(window_alignment(), window_alignment()), MPI_WIN_NULL};
    mpi::check(MPI_Win_create(made.page, made.page == nullptr ? 0 : static_cast<MPI_Aint>(window_alignment()),
                              1, MPI_INFO_NULL, comm, &made.window),
               "MPI_Win_create");
    return made;
}

void give_back(Kept& one)
{
    mpi::check(MPI_Win_free(&one.window), "MPI_Win_free");
    std::free(one.page);
}

} // namespace

void KeptWindows::keep_one(MPI_Comm comm)
{
    if (mpi::all_say(comm, has_one()))
        return;
    const Kept made = make(comm);
    const std::lock_guard lock(guard);
    kept.push_back(made);
}

// One window of all processes stays until the others are gone, so all answer meanwhile.
KeptWindows::~KeptWindows()
{
    if (!traits::may_want_company() || mpi::all_say(world_, !has_one()))
        return;
    Kept last = make(world_);
    for (Kept& one : kept)
        give_back(one);
    kept.clear();
    mpi::barrier(world_);
    give_back(last);
}

} // namespace armci::gmr
