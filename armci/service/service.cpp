#include "armci/service/service.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/observe/statistics.hpp"
#include "armci/base/side_thread.hpp"
#include "armci/service/gate.hpp"
#include "armci/service/ucx_owner.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace armci {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Pauses while the program drives MPI: none is longer than it has driven MPI before.
constexpr std::chrono::nanoseconds least_pause = microseconds(20);
constexpr std::chrono::nanoseconds most_pause = milliseconds(5);
// Pauses between looks by the clock: a quarter of the time since a look found something. Where all that
// arrives comes by sockets, looks find data that came by another way.
constexpr int part_of_pause = 4;
constexpr std::chrono::nanoseconds least_look = microseconds(50);
constexpr std::chrono::nanoseconds most_look = milliseconds(2);
constexpr std::chrono::nanoseconds most_look_for_neighbours = milliseconds(10);
constexpr std::chrono::nanoseconds look_beside_sockets = milliseconds(500);

// Open MPI reads sockets at the end of a call for progress, and carries out what it read in the next one. So
// a call that has found something has another after it. No more calls than that: the system lets a thread
// that wakes run at once only if it has used less of the core than the program.
constexpr int least_calls = 2;
constexpr int most_calls = 16;
// Where MPI yields in calls that find nothing, the core goes to another thread for a turn. So many such calls
// more than others tell, and then there are no calls but the least.
constexpr int enough_yields = 4;
// A look soon after an answer, for what was read in its last call all the same.
constexpr std::chrono::nanoseconds look_after_answer = milliseconds(1);

std::chrono::nanoseconds time_of_processor()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace

Service* Service::the_one_ = nullptr;

Service::Service(MPI_Comm world, const Settings& settings, const Topology& topology, const JobHosts& hosts)
    : progress_(world), hosts_(hosts), shares_node_(topology.members(topology.my_node()).size() > 1)
{
    mpi::check(MPI_Comm_rank(world, &rank_), "MPI_Comm_rank");
    if (topology.nodes() == 1) {
        description_ = "not needed, as the job has one node";
        return;
    }
    if (settings.progress_thread == 0) {
        description_ = "no: ARMCI_PROGRESS_THREAD is 0";
        return;
    }
    is_refused_ = !choose_rule();
    gates_all_ = mpi::all_say(world, exclusive_ && !mpi_has_threads_);
}

void Service::start()
{
    if (is_refused_ && rank_ == 0)
        diag::warn("other nodes wait while a process computes: %s", description_.c_str() + 4);
    if (gate::rule.load(std::memory_order_relaxed) == gate::Rule::none)
        return;
    sockets_.emplace(hosts_);
    sockets_->look();
    is_prompt_ = sockets_->lead_to_other_hosts();
    thread_ = start_beside("to answer other nodes", [this] { run(); });
    [[maybe_unused]] static const int once = std::atexit(stop_at_exit);
    the_one_ = this;
    if (!thread_.joinable()) {
        description_ = "no: the system gave no thread";
        is_prompt_ = false;
        return;
    }
    description_ = std::string("yes, by a thread that ") +
                   (is_prompt_ ? "sleeps on MPI's sockets" : "looks at MPI by the clock");
}

Service::~Service()
{
    stop();
}

void Service::leave_to_messages()
{
    stop();
    description_ = "yes, by a thread that carries out the library's own messages over TCP";
}

// Of a process that exits without ARMCI_Finalize: MPI's own end must not meet the thread inside MPI.
void Service::stop_at_exit()
{
    if (the_one_ != nullptr)
        the_one_->stop();
}

void Service::stop()
{
    // A child of fork(), where the gate has no rule, has no thread to end.
    if (thread_.get_id() == std::this_thread::get_id() ||
        gate::rule.load(std::memory_order_relaxed) == gate::Rule::none)
        return;
    if (thread_.joinable()) {
        stop_.store(true, std::memory_order_relaxed);
        sockets_->wake();
        thread_.join();
    }
    gate::close_shared();
    gate::set_rule(gate::Rule::none);
    the_one_ = nullptr;
}

bool Service::choose_rule()
{
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
    const int requested = gate::requested_thread_level();
    if (ARMCI_SERVICE == 0) {
        description_ = "no: this library was built with ARMCI_SERVICE=OFF";
        return false;
    }
    if (ucx_wants_one_thread()) {
        description_ =
            "no: this UCX was built with assertions and refuses calls of a second thread; a UCX as its "
            "authors release it, or MPI over TCP, does not";
        return false;
    }
    if (level == MPI_THREAD_MULTIPLE && (requested == MPI_THREAD_MULTIPLE || requested < 0)) {
        gate::set_rule(gate::Rule::count);
        return true;
    }
    if (requested < 0 || !gate::covers_the_program()) {
        description_ = "no: the program's calls of MPI do not pass this library; link libarmci before MPI's "
                       "library, preload it, or start MPI with MPI_THREAD_MULTIPLE";
        return false;
    }
    if (level < MPI_THREAD_SERIALIZED) {
        description_ = "no: MPI does not grant MPI_THREAD_SERIALIZED";
        return false;
    }
    exclusive_ = true;
    // An MPI that gives more than it was asked for may have threads of its own, which pass no gate: MPICH
    // does so with MPIR_CVAR_ASYNC_PROGRESS.
    mpi_has_threads_ = level == MPI_THREAD_MULTIPLE;
    gate::set_rule(gate::Rule::exclusive);
    return true;
}

void Service::run()
{
    prctl(PR_SET_NAME, "armci-service");
    prctl(PR_SET_TIMERSLACK, 1UL); // nanoseconds; pauses are short
    ask_for_short_turns();
    std::uint32_t seen = gate::entries();
    std::chrono::nanoseconds pause = least_pause;
    bool is_quiet = false; // no entry during the last short pause
    while (!stop_.load(std::memory_order_relaxed)) {
        if (!is_quiet || gate::entries() != seen || gate::is_occupied()) {
            std::this_thread::sleep_for(pause);
            seen = gate::entries();
            is_quiet = !gate::is_occupied();
            if (is_quiet) {
                std::this_thread::sleep_for(least_pause);
                is_quiet = gate::entries() == seen && !gate::is_occupied();
            }
            pause = is_quiet ? least_pause : std::min(2 * pause, most_pause);
            if (is_quiet) // the program's last call of MPI may have read what it did not carry out
                answer(false, pause);
            if (!exclusive_)
                seen = gate::entries(); // this thread was counted
            continue;
        }
        const std::chrono::nanoseconds time = time_to_look();
        const bool by_socket = sockets_->wait(time);
        if (gate::entries() == seen && !gate::is_occupied())
            answer(by_socket, time);
        if (!exclusive_)
            seen = gate::entries(); // this thread was counted
    }
}

Service::Nanoseconds Service::time_to_look() const
{
    const bool has_sockets = sockets_->lead_to_other_hosts();
    if (!shares_node_ && has_sockets)
        return has_answered_ ? look_after_answer : look_beside_sockets;
    return std::clamp((Sockets::Clock::now() - last_found_) / part_of_pause, least_look,
                      has_sockets ? most_look_for_neighbours : most_look);
}

void Service::answer(bool by_socket, Nanoseconds after)
{
    if (exclusive_ && !gate::try_enter())
        return;
    const bool has_found = drive_mpi(after);
    if (exclusive_)
        gate::leave();
    has_answered_ = by_socket || has_found;
    if (has_answered_) {
        last_found_ = Sockets::Clock::now();
        observe::statistics::count_answer();
    }
    if (by_socket)
        sockets_->note_what_was_read();
    sockets_->look(); // MPI opens connections by the way
}

bool Service::drive_mpi(Nanoseconds after)
{
    bool found = call_finds_something(after < milliseconds(1) ? Caches::lukewarm : Caches::cold);
    bool any_found = found;
    const int most = yields_ >= enough_yields ? least_calls : most_calls;
    for (int call = 1; call < least_calls || (found && call < most); ++call) {
        found = call_finds_something(Caches::warm);
        any_found = any_found || found;
    }
    return any_found;
}

// MPI does not tell whether there was something to do. The processor time tells: a call that finds nothing
// takes always the same, half a microsecond as a rule, and one that reads a socket a microsecond more. After
// a pause times vary. By the clock a call takes longer where MPI yields.
bool Service::call_finds_something(Caches caches)
{
    Nanoseconds& idle = idle_call_[static_cast<std::size_t>(caches)];
    const Sockets::Clock::time_point start = Sockets::Clock::now();
    const Nanoseconds start_of_processor = time_of_processor();
    progress_();
    const Nanoseconds took = time_of_processor() - start_of_processor;
    const bool has_found = took > (caches == Caches::warm ? idle : 2 * idle) + Nanoseconds(500);
    if (!has_found) {
        const bool has_waited = Sockets::Clock::now() - start > took + microseconds(20);
        yields_ = std::clamp(yields_ + (has_waited ? 1 : -1), 0, 2 * enough_yields);
    }
    idle = idle == Nanoseconds::zero() ? took : std::min(took, idle + idle / 256 + Nanoseconds(1));
    return has_found;
}

} // namespace armci
