#include "gmr/network/window.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_quirks.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/thread_turns.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/kept_windows.hpp"

#include <atomic>

namespace armci::gmr {
namespace {

std::atomic<int> windows{0}; // that this process has

// What MPI may rely on in a window; what it does not know it ignores (MPI-3, 11.2.1). Puts that are
// accumulates (ARMCI_ORDERING) are longer, but need not be atomic against others.
class Hints {
public:
    Hints()
    {
        if (!traits::in_use.takes_single_atomics)
            return;
        mpi::check(MPI_Info_create(&info_), "MPI_Info_create");
        mpi::check(MPI_Info_set(info_, "acc_single_intrinsic", "true"), "MPI_Info_set");
    }
    ~Hints()
    {
        if (info_ != MPI_INFO_NULL)
            MPI_Info_free(&info_);
    }
    Hints(const Hints&) = delete;
    Hints& operator=(const Hints&) = delete;

    MPI_Info get() const { return info_; }

private:
    MPI_Info info_ = MPI_INFO_NULL;
};

void check_creation(int code, const char* call, MPI_Comm comm)
{
    if (code != MPI_SUCCESS)
        quirks::explain_window_failure(call, code, comm);
}

} // namespace

Window::Window(MPI_Win window, MPI_Comm comm, EpochStyle epochs) : window_(window), epochs_(epochs)
{
    ++windows;
    mpi::check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    const traits::Traits its = traits::look_at(window_);
    if (its.windows_want_company)
        KeptWindows::keep_one(comm);
    if (traits::in_use.threads_take_turns)
        turn_ = &traits::turn_of_threads();
    mpi::check(MPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
    int* model = nullptr;
    int found = 0;
    mpi::check(MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found), "MPI_Win_get_attr");
    separate_ = found != 0 && *model != MPI_WIN_UNIFIED;
    if (locks_all())
        check_creation(MPI_Win_lock_all(its.locks_all_by_messages ? MPI_MODE_NOCHECK : 0, window_),
                       "MPI_Win_lock_all", comm);
}

std::unique_ptr<Window> Window::over(MPI_Comm comm, void* base, std::size_t bytes, EpochStyle epochs)
{
    // Makes it again where some process did not know yet that hints are of use.
    for (;;) {
        const bool hinted = traits::in_use.takes_single_atomics;
        MPI_Win window = MPI_WIN_NULL;
        const Hints hints;
        check_creation(MPI_Win_create(base, static_cast<MPI_Aint>(bytes), 1, hints.get(), comm, &window),
                       "MPI_Win_create", comm);
        std::unique_ptr<Window> made(new Window(window, comm, epochs));
        if (mpi::all_say(comm, traits::in_use.takes_single_atomics == hinted))
            return made;
    }
}

std::unique_ptr<Window> Window::allocate(MPI_Comm comm, std::size_t bytes, EpochStyle epochs, void*& base)
{
    MPI_Win window = MPI_WIN_NULL;
    const Hints hints;
    check_creation(MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, hints.get(), comm, &base, &window),
                   "MPI_Win_allocate", comm);
    return std::unique_ptr<Window>(new Window(window, comm, epochs));
}

std::unique_ptr<Window> Window::allocate_shared(MPI_Comm node, std::size_t bytes, void*& base)
{
    MPI_Win window = MPI_WIN_NULL;
    check_creation(
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, node, &base, &window),
        "MPI_Win_allocate_shared", node);
    return std::unique_ptr<Window>(new Window(window, node, EpochStyle::lock_all));
}

std::unique_ptr<Window> Window::dynamic(MPI_Comm comm, EpochStyle epochs)
{
    MPI_Win window = MPI_WIN_NULL;
    const Hints hints;
    check_creation(MPI_Win_create_dynamic(hints.get(), comm, &window), "MPI_Win_create_dynamic", comm);
    std::unique_ptr<Window> made(new Window(window, comm, epochs));
    made->attaches_ = true;
    return made;
}

Window::~Window()
{
    completion::forget(*this);
    if (locks_all())
        mpi::check(MPI_Win_unlock_all(window_), "MPI_Win_unlock_all");
    mpi::check(MPI_Win_free(&window_), "MPI_Win_free");
    --windows;
}

bool Window::are_used_up()
{
    return windows >= traits::in_use.most_windows;
}

void Window::lock(int rank)
{
    turn_->lock();
    const int kind = epochs_ == EpochStyle::exclusive_lock ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    mpi::check(MPI_Win_lock(kind, rank, 0, window_), "MPI_Win_lock");
}

void Window::unlock(int rank)
{
    mpi::check(MPI_Win_unlock(rank, window_), "MPI_Win_unlock");
    turn_->unlock();
}

bool Window::can_join_attached() const
{
    return !attaches_ || traits::in_use.types_reach_several_attached;
}

void Window::attach(void* base, std::size_t bytes)
{
    mpi::check(MPI_Win_attach(window_, base, static_cast<MPI_Aint>(bytes)), "MPI_Win_attach");
}

void Window::detach(void* base)
{
    mpi::check(MPI_Win_detach(window_, base), "MPI_Win_detach");
}

std::byte* Window::shared_base(int rank) const
{
    MPI_Aint bytes = 0;
    int unit = 0;
    void* base = nullptr;
    mpi::check(MPI_Win_shared_query(window_, rank, &bytes, &unit, &base), "MPI_Win_shared_query");
    return static_cast<std::byte*>(base);
}

} // namespace armci::gmr
