#include "armci/runtime.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/cost_model.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_quirks.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/node_memory.hpp"
#include "armci/base/observe/statistics.hpp"
#include "armci/base/observe/trace.hpp"
#include "armci/base/one_component.hpp"
#include "armci/base/wait.hpp"
#include "armci/service/gate.hpp"
#include "gmr/active_messages/active_messages.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/network/probe.hpp"
#include "gmr/node/kernels/instruction_set.hpp"
#include "gmr/rmw.hpp"
#include "iov/methods.hpp"
#include "strided/datatype.hpp"
#include "strided/methods.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace armci {
namespace {

mpi::Progress* progress = nullptr; // that of Waiting
int cores_of_node = 1;             // that its processes may run on

// Some 50 microseconds, long enough for a kernel to notice where it has put two of us on one core: with 100
// rounds every second job of two unbound processes stayed there, with 1,000 one of 25, with 3,000 none.
constexpr int spin_with_a_core_each = 3000;
// Other nodes must not wait so long for this process to enter MPI.
constexpr int spin_with_a_network = 100;

// Starts what ARMCI_STATS, ARMCI_TRACE and ARMCI_CHECK ask for.
void start_observing(const Settings& settings, int me, int processes)
{
    if (settings.check != 0)
        check::start(me, processes);
    if (!settings.stats.empty())
        observe::statistics::start(processes);
    if (!settings.trace.empty())
        observe::trace::start(static_cast<std::size_t>(settings.trace_events));
    observe::active = observe::statistics::enabled() || observe::trace::enabled() || check::active;
}

Settings put_in_force(Settings settings, int me, int processes)
{
    settings.window = quirks::usable(settings.window, me == 0);
    gmr::kernels::set_policy(settings, me == 0);
    start_observing(settings, me, processes);
    return settings;
}

// The models of the tune file, where it is given and good.
std::vector<cost::Model> read_tune_file(const std::string& path)
{
    if (path.empty())
        return {};
    std::string problem;
    if (std::optional<cost::Tune> tune = cost::read_ours(path, problem))
        return std::move(tune->models);
    diag::warn("ARMCI_TUNE_FILE is '%s': %s; methods are chosen without it", path.c_str(), problem.c_str());
    return {};
}

// Collective where there is a file, and a network to choose for: process 0 reads for all, so that a file of
// its host is enough, is read once, and is wrong once.
void share_cost_models(MPI_Comm world, bool reads, const Settings& settings, bool uses_network)
{
    std::vector<cost::Model> models;
    if (reads)
        models = read_tune_file(settings.tune_file);
    if (uses_network && !settings.tune_file.empty()) {
        int count = static_cast<int>(models.size());
        mpi::broadcast(&count, sizeof count, 0, world);
        models.resize(static_cast<std::size_t>(count));
        if (count > 0)
            mpi::broadcast(models.data(), count * static_cast<int>(sizeof(cost::Model)), 0, world);
    }
    cost::use(models);
}

int processes_for_each_core(const Topology& topology)
{
    const auto processes = static_cast<int>(topology.members(topology.my_node()).size());
    return (processes - 1) / cores_of_node + 1;
}

// How long a wait may spin: not at all when the node's processes have fewer cores than they are.
int choose_spin(const Topology& topology, const Settings& settings)
{
    cpu_set_t all; // that any of them may run on
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all); // none, where the machine has more than it has room for
    mpi::allreduce(&all, sizeof all, MPI_BYTE, MPI_BOR, topology.node_comm());
    cores_of_node = CPU_COUNT(&all);
    if (cores_of_node == 0)
        cores_of_node = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    if (settings.spin >= 0)
        return static_cast<int>(settings.spin);
    if (processes_for_each_core(topology) > 1)
        return 0;
    return topology.nodes() > 1 ? spin_with_a_network : spin_with_a_core_each;
}

// How long a start may take. Processes that share a core each have a part of its time.
std::chrono::seconds patience_at_start(const Topology& topology, const Settings& settings)
{
    return std::chrono::seconds(settings.start_timeout * processes_for_each_core(topology));
}

// Collective over the world. Where the processes of this node outnumber its cores, each yields until all have
// yielded so often. At least `sharing` processes share a core then, and half of them must have reached
// others, two at least. A wrong verdict costs time: waits yield too often or too seldom.
void find_out_what_yields_do(gmr::Team& world, gmr::NodeControl& node)
{
    constexpr int least = 16;
    constexpr int most = 200;
    if (wait::spin_rounds() > 0 || world.local_size() < 2)
        return;
    world.show(nullptr, 0);
    const auto everybody = static_cast<std::uint32_t>(world.local_size());
    bool told = false;
    const auto all_have_yielded = [&] {
        node.yielded += told ? 0 : 1;
        told = true;
        return node.yielded >= everybody;
    };
    const bool mine = wait::count_yields(least, most, all_have_yielded).reached_others();
    const std::byte* const slots = world.show(&mine, sizeof mine);
    int reached = 0;
    for (int i = 0; i < world.local_size(); ++i)
        reached += slots[static_cast<std::size_t>(i) * gmr::Team::slot_bytes] != std::byte{0} ? 1 : 0;
    const int sharing = world.local_size() - cores_of_node + 1;
    wait::set_yields(reached >= std::max(2, sharing / 2) ? wait::Yields::reach_others
                                                         : wait::Yields::in_vain);
}

// What a wait does between two sleeps, or at every turn where it does not sleep.
void while_waiting()
{
    progress_mpi();
    OrphanWatch::leave_if_orphaned();
}

} // namespace

void progress_mpi()
{
    if (progress != nullptr && !gmr::MpiExclusion::is_inside())
        (*progress)();
}

Runtime::Waiting::Waiting(MPI_Comm world, const Topology& topology, const Settings& settings)
    : progress_(world)
{
    progress = &progress_;
    wait::set_progress(topology.processes() > 1 ? while_waiting : progress_mpi);
    wait::set_network(settings.uses_network(topology.nodes()));
    wait::set_spin(choose_spin(topology, settings));
    wait::set_processes_for_each_core(processes_for_each_core(topology));
}

Runtime::Waiting::~Waiting()
{
    wait::set_progress(nullptr);
    wait::set_network(false);
    wait::set_processes_for_each_core(1);
    wait::set_yields(wait::Yields::unknown);
    progress = nullptr;
}

Runtime::Runtime(MPI_Comm comm, const Settings& settings)
    : world_(mpi::Comm::duplicate(comm)), me_(world_.rank()),
      settings_(put_in_force(settings, me_, world_.size())),
      messages_(message::World::over(world_.get(), static_cast<int>(settings_.node_size))),
      orphan_watch_(topology().processes() > 1), hosts_(JobHosts::gather(world_.get(), topology())),
      links_(hosts_, settings_.watch_links != 0), waiting_(world_.get(), topology(), settings_),
      service_(world_.get(), settings_, topology(), hosts_), new_messages_(choose_messages()),
      memory_(world_.get(), topology(), me_, probed_settings(), service_.gates_all(),
              std::move(new_messages_)),
      groups_(messages_.comm(), topology(), memory_.heap()), locks_(memory_, groups_.world().team()),
      notifier_(world_.get(), topology(), memory_.heap(), memory_.network())
{
    if (gmr::MpiExclusion* const exclusion = memory_.mpi_exclusion())
        gate::share(exclusion->mine());
    const bool by_messages = gmr::ActiveMessages::the_one() != nullptr;
    if (by_messages && settings_.mutex_method != MutexMethod::queueing) // whose algorithm is MPI's operations
        service_.leave_to_messages();
    else
        service_.start();
    find_out_what_yields_do(groups_.world().team(), memory_.arena().control());
    if (settings_.verbose != 0 && me_ == 0)
        announce();
    if (check::active)
        make_ticket_counter();
    // Others are answered without; operations by load and store need not let MPI make progress.
    if (by_messages || service_.is_prompt())
        gmr::peers.detours.clear(gmr::Detours::progress);
    groups_.world().team().barrier();
    start_watch_.reset();
}

std::unique_ptr<gmr::ActiveMessages> Runtime::choose_messages()
{
    if (topology().unknown_to_mpi() && settings_.window == WindowFlavour::shared) {
        if (me_ == 0)
            diag::warn("MPI does not know which processes share a node; ARMCI_WINDOW=pooled is used instead "
                       "of shared");
        settings_.window = WindowFlavour::pooled;
    }
    if (topology().parted() && me_ == 0)
        diag::warn(
            "MPI counts processes to one node that cannot share memory, so they are nodes of their own and "
            "use MPI; containers on one machine share memory where they share the processes' numbers or "
            "/dev/shm (Docker: --pid=host or --ipc=host)");
    return gmr::ActiveMessages::where_it_holds(world_.get(), topology(), hosts_, settings_);
}

const Settings& Runtime::probed_settings()
{
    const bool uses_network = settings_.uses_network(topology().nodes());
    share_cost_models(world_.get(), me_ == 0, settings_, uses_network);
    const bool by_messages = gmr::ActiveMessages::the_one() != nullptr;
    if (by_messages ? settings_.mutex_method == MutexMethod::queueing
                    : settings_.may_make_windows(topology().nodes()))
        require_one_component(world_.get());
    if (uses_network && !by_messages) {
        quirks::keep_freed_memory();
        start_watch_ = std::make_unique<StartWatch>(me_, patience_at_start(topology(), settings_));
        gmr::probe_mpi(world_.get(), topology(), settings_);
    }
    iov::set_policy(settings_);
    strided::set_policy(settings_);
    return settings_;
}

Runtime::~Runtime()
{
    if (check::active)
        check::agree("ARMCI_Finalize", groups_.world().team().comm());
    mpi::meet(world_.get());
    service_.stop();
    strided::forget_datatypes();
    if (observe::active)
        stop_observing();
}

void Runtime::announce()
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::replace(version, version + length, '\n', ' ');
    diag::say("armci-rma %s on %s", ARMCI_RMA_VERSION, version);
    if (topology().unknown_to_mpi())
        diag::say("MPI takes each process for a node of its own; the system says which share one");
    diag::say("%d processes on %d nodes; global memory: %s, %zu MiB of address range per process, at %p",
              processes(), topology().nodes(), memory_.arena().backing(), memory_.arena().span() >> 20,
              static_cast<const void*>(memory_.arena().slice(0)));
    if (!node_memory::here().available())
        diag::say(
            "free memory is not known: neither /proc/meminfo nor a control group tells it; requests are not "
            "limited by it");
    const node_memory::Counts& counts = memory_.budget().counts();
    if (const std::uint64_t most = std::max(counts.on_machine, counts.in_group); most > 1)
        diag::say("%" PRIu64 " nodes of this machine share no memory; each takes its part of what is free",
                  most);
    diag::say("path on the node: %s; between nodes: %s",
              memory_.network() == nullptr || memory_.network()->load_store() ? "load/store" : "MPI",
              gmr::ActiveMessages::the_one() != nullptr ? "the library's own messages over TCP" : "MPI");
    diag::say("accumulates and read-modify-writes: %s", memory_.atomics());
    diag::say("answers while computing: %s", service_.description().c_str());
    diag::say("waits spin %d rounds, then yield%s, then sleep (or drive MPI)", wait::spin_rounds(),
              wait::yields() == wait::Yields::in_vain ? " hardly at all, as yields reach no other process"
                                                      : "");
    if (cost::in_use())
        diag::say("methods of strided and vector calls: by the cost models of ARMCI_TUNE_FILE");
    for (const settings::Row& row : settings::table())
        if (row.type != settings::Type::accepted)
            diag::say("  %s=%s", row.name, settings::value_text(row, settings_).c_str());
}

namespace {

long* ticket_counter = nullptr; // in memory of process 0

std::uint64_t draw_ticket()
{
    long ticket = 0;
    gmr::read_modify_write("ARMCI_CHECK", ARMCI_FETCH_AND_ADD_LONG, &ticket, ticket_counter, 1, 0);
    return static_cast<std::uint64_t>(ticket);
}

} // namespace

void Runtime::make_ticket_counter()
{
    std::vector<void*> counters(static_cast<std::size_t>(processes()));
    if (memory_.allocate("ARMCI_CHECK", groups_.world().team(), true, counters.data(),
                         me_ == 0 ? sizeof(long) : 0) != 0)
        return;
    ticket_counter = static_cast<long*>(counters[0]);
    if (me_ == 0)
        *ticket_counter = 0;
    groups_.world().team().barrier();
    check::set_ticket(draw_ticket);
}

void Runtime::stop_checking()
{
    if (!check::active)
        return;
    check::barrier(world_.get());
    check::stop(world_.get());
    memory_.free("ARMCI_CHECK", groups_.world().team(), me_ == 0 ? ticket_counter : nullptr);
}

void Runtime::stop_observing()
{
    stop_checking();
    observe::active = false;
    if (observe::statistics::enabled()) {
        const observe::Report report = observe::statistics::gather(world_.get(), topology().nodes());
        if (me_ == 0)
            observe::show(report, settings_.stats == settings::report_printed ? "" : settings_.stats);
        observe::statistics::stop();
    }
    if (observe::trace::enabled()) {
        observe::trace::write(world_.get(), settings_.trace);
        observe::trace::stop();
    }
}

} // namespace armci
