// Life cycle: when the one runtime begins and ends, and MPI with it.
#include "armci/runtime.hpp"

#include "armci/base/agreed_settings.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/service/gate.hpp"

#include <algorithm>
#include <climits>
#include <utility>

namespace armci {
namespace {

// Not destroyed at exit: a process that exits without ARMCI_Finalize must not enter a collective call there.
Runtime* runtime = nullptr;
int starts = 0;
bool stopped = false;
const char* absent = "called before ARMCI_Init"; // why there is no runtime

enum class Beginner { program, messages, runtime };
Beginner mpi_beginner = Beginner::program; // who called MPI_Init, and so calls MPI_Finalize

unsigned long shm_limit = 0; // bytes per process, as ARMCI_Set_shm_limit gave it, possibly before the start

const char* name_of_thread_level(int level)
{
    switch (level) {
    case MPI_THREAD_SINGLE:
        return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
        return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
        return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE:
        return "MPI_THREAD_MULTIPLE";
    default:
        return nullptr;
    }
}

bool is_thread_level(int level)
{
    return name_of_thread_level(level) != nullptr;
}

// Reports what is wrong with the level asked for, given that of MPI.
int reject_thread_level(const StartRequest& request, int level, bool speaker)
{
    if (!is_thread_level(request.thread_level))
        return diag::reject_together(speaker, request.call,
                                     "thread level is %d; it must be one of MPI's, MPI_THREAD_SINGLE (%d) to "
                                     "MPI_THREAD_MULTIPLE (%d)",
                                     request.thread_level, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
    return diag::reject_together(
        speaker, request.call,
        "%s is asked for, but MPI was started with %s; start MPI with the level the program "
        "needs, or let ARMCI start it",
        name_of_thread_level(request.thread_level), name_of_thread_level(level));
}

// MPI must bear what the program will do: waits of several threads call it. The first start is collective
// over `comm`: a wrong level of one process is an error on all. A later one is this process's alone.
int check_thread_level(const StartRequest& request, MPI_Comm comm)
{
    int level = 0;
    mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
    const bool is_right = is_thread_level(request.thread_level) && level >= request.thread_level;
    int rank = 0;
    mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    int speaker = is_right ? INT_MAX : rank;
    if (starts == 0)
        mpi::allreduce(&speaker, 1, MPI_INT, MPI_MIN, comm);
    else if (!is_right)
        speaker = 0;
    if (speaker == INT_MAX)
        return 0;
    // What the program asked MPI for, where the service asked for more.
    const int requested = gate::requested_thread_level();
    return reject_thread_level(request, requested < 0 ? level : std::min(level, requested), rank == speaker);
}

// Collective over `comm`: the settings that hold for all of its processes. From now on messages name the
// process, and wrong calls do what ARMCI_ERRORS says.
Settings agree_on_settings(MPI_Comm comm)
{
    int rank = 0;
    int size = 0;
    mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    diag::set_identity(rank, size);
    Settings settings = settings::agreed(comm, true);
    diag::set_policy(settings.errors);
    return settings;
}

// Starts MPI unless it runs.
void start_mpi(const StartRequest& request, Beginner beginner)
{
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (finalized)
        diag::fatal(request.call, "MPI is finalized; ARMCI must be started before MPI_Finalize");
    if (initialized)
        return;
    int provided = 0;
    const OrphanWatch watch = OrphanWatch::of_start();
    mpi::check(MPI_Init_thread(request.argc, request.argv, request.thread_level, &provided),
               "MPI_Init_thread");
    mpi_beginner = beginner;
}

void stop_mpi()
{
    mpi_beginner = Beginner::program;
    if (mpi::running())
        mpi::check(MPI_Finalize(), "MPI_Finalize");
}

// MPI_Finalize first deletes what is attached to MPI_COMM_SELF, while MPI still works (MPI-3, 8.7.1). A
// library that its program has not stopped stops there, before MPI takes down what the windows use. A stopped
// library leaves nothing attached: its code may be unloaded before MPI ends.
int end_of_mpi = MPI_KEYVAL_INVALID;

int stop_before_mpi(MPI_Comm, int, void*, void*)
{
    if (runtime != nullptr)
        absent = "called after MPI_Finalize";
    delete std::exchange(runtime, nullptr);
    return MPI_SUCCESS;
}

void watch_end_of_mpi()
{
    mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_before_mpi, &end_of_mpi, nullptr),
               "MPI_Comm_create_keyval");
    mpi::check(MPI_Comm_set_attr(MPI_COMM_SELF, end_of_mpi, nullptr), "MPI_Comm_set_attr");
}

void forget_end_of_mpi()
{
    if (!mpi::running())
        return;
    mpi::check(MPI_Comm_delete_attr(MPI_COMM_SELF, end_of_mpi), "MPI_Comm_delete_attr");
    mpi::check(MPI_Comm_free_keyval(&end_of_mpi), "MPI_Comm_free_keyval");
}

// Refuses a start on another communicator than that on which the library runs. All members find the same if
// it runs on all of them.
int check_communicator(const StartRequest& request)
{
    int relation = MPI_UNEQUAL;
    mpi::check(MPI_Comm_compare(request.comm, runtime->groups().world().team().comm(), &relation),
               "MPI_Comm_compare");
    if (relation == MPI_IDENT || relation == MPI_CONGRUENT)
        return 0;
    int rank = 0;
    mpi::check(MPI_Comm_rank(request.comm, &rank), "MPI_Comm_rank");
    return diag::reject_together(rank == 0, request.call,
                                 "the library runs on another communicator already, until ARMCI_Finalize");
}

} // namespace

int start(const StartRequest& request)
{
    // Nothing is collective before MPI runs.
    if (!mpi::running() && !is_thread_level(request.thread_level))
        return reject_thread_level(request, MPI_THREAD_SINGLE, true);
    start_mpi(request, Beginner::runtime);
    const MPI_Comm comm = request.comm == MPI_COMM_NULL ? MPI_COMM_WORLD : request.comm;
    if (starts > 0) {
        int error = check_thread_level(request, comm);
        if (error == 0 && request.comm != MPI_COMM_NULL)
            error = check_communicator(request);
        starts += error == 0 ? 1 : 0;
        return error;
    }
    OrphanWatch::check_world();
    const Settings settings = agree_on_settings(comm);
    if (const int error = check_thread_level(request, comm))
        return error;
    ++starts;
    watch_end_of_mpi();
    runtime = new Runtime(comm, settings);
    if (shm_limit > 0)
        runtime->memory().budget().set_limit(shm_limit);
    return 0;
}

int stop(const char* call)
{
    if (starts == 0 && stopped) // by layers that each tidy up: GA and TCGMSG did
        return 0;
    if (starts == 0)
        return diag::reject(call, "the library was never started; call ARMCI_Init first");
    if (--starts > 0)
        return 0;
    delete std::exchange(runtime, nullptr);
    forget_end_of_mpi();
    stopped = true;
    absent = "called after ARMCI_Finalize";
    if (mpi_beginner == Beginner::runtime)
        stop_mpi();
    return 0;
}

void start_messages(const StartRequest& request)
{
    start_mpi(request, Beginner::messages);
    if (runtime != nullptr || message::World::latest() != nullptr)
        return;
    const Settings settings = settings::agreed(MPI_COMM_WORLD, false); // ARMCI_Init warns
    const message::World& world = message::World::over(MPI_COMM_WORLD, static_cast<int>(settings.node_size));
    diag::set_identity(world.me(), world.topology().processes());
}

void stop_messages()
{
    if (mpi_beginner != Beginner::program)
        stop_mpi();
}

const char* why_no_messages()
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized != 0
               ? "called after MPI_Finalize"
               : "called before MPI is started; armci_msg_init, ARMCI_Init or MPI_Init comes first";
}

void limit_memory(unsigned long bytes_per_process)
{
    shm_limit = bytes_per_process;
    if (runtime != nullptr)
        runtime->memory().budget().set_limit(bytes_per_process);
}

Runtime* running_quietly()
{
    return runtime;
}

Runtime* running(const char* call)
{
    if (runtime != nullptr) [[likely]]
        return runtime;
    diag::reject(call, "%s", absent);
    return nullptr;
}

Runtime& running_or_end(const char* call)
{
    if (runtime == nullptr)
        diag::fatal(call, "%s", absent);
    return *runtime;
}

} // namespace armci
