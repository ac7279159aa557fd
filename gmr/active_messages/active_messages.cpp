#include "gmr/active_messages/active_messages.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/wait.hpp"
#include "gmr/active_messages/pairing.hpp"

#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace armci::gmr {
namespace {

using active_messages::Fetch;
using active_messages::Key;
using active_messages::Kind;
using active_messages::Line;
using active_messages::Place;
using active_messages::Run;

constexpr int connect_milliseconds = 10'000;

bool may_have_them(const Settings& settings)
{
    return settings.force_mpi == 0 && settings.progress_thread != 0 &&
           settings.window == WindowFlavour::pooled && settings.epochs == EpochStyle::lock_all &&
           settings.atomics_policy == AtomicsPolicy::automatic;
}

// An address at which other hosts reach this one: one that MPI uses, of any process of the node, or the first
// that the system names. `is_used` says which.
InternetAddress find_address(const Topology& topology, const JobHosts& hosts, bool& is_used)
{
    struct Found {
        InternetAddress address;
        bool is_used;
    };
    Found mine{};
    mine.is_used = hosts.find_connection(mine.address);
    std::vector<Found> all(topology.members(topology.my_node()).size());
    mpi::allgather(&mine, all.data(), sizeof mine, topology.node_comm());
    const auto used = std::find_if(all.begin(), all.end(), [](const Found& one) { return one.is_used; });
    is_used = used != all.end();
    if (is_used)
        return used->address;
    const std::vector<InternetAddress> own = own_addresses();
    if (!own.empty())
        return own.front();
    return loopback_address();
}

// Room for so many connections, where the system lets the limit be raised. False, and why, where it does not.
bool raise_limit_of_descriptors(std::uint64_t connections, std::string& problem)
{
    constexpr rlim_t others = 256;
    const rlim_t wanted = connections + others;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return true;
    problem = "too few open files: it may want " + std::to_string(wanted) + ", of them " +
              std::to_string(connections) + " connections, and is allowed " + std::to_string(limit.rlim_max) +
              " (ulimit -Hn)";
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted;
}

Key make_key(MPI_Comm world, int me)
{
    Key key{};
    if (me == 0)
        while (key.server == 0)
            if (getrandom(&key, sizeof key, 0) != sizeof key)
                diag::fatal("ARMCI_Init", "the system gives no random numbers: %s", std::strerror(errno));
    mpi::broadcast(&key, sizeof key, 0, world);
    return key;
}

} // namespace

ActiveMessages* ActiveMessages::the_one_ = nullptr;

std::unique_ptr<ActiveMessages> ActiveMessages::where_it_holds(MPI_Comm world, const Topology& topology,
                                                               const JobHosts& hosts,
                                                               const Settings& settings)
{
    const bool is_asked_for = settings.transport == Transport::messages;
    if (topology.nodes() < 2 || settings.transport == Transport::mpi)
        return nullptr;
    int me = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    if (!may_have_them(settings)) {
        if (is_asked_for && me == 0)
            diag::warn(
                "ARMCI_TRANSPORT=messages needs the defaults of ARMCI_FORCE_MPI, ARMCI_WINDOW, ARMCI_EPOCHS, "
                "ARMCI_ATOMICS_POLICY and ARMCI_PROGRESS_THREAD; mpi takes its place");
        return nullptr;
    }
    bool is_used = false;
    const InternetAddress address = find_address(topology, hosts, is_used);
    if (!is_asked_for && !mpi::all_say(world, is_used))
        return nullptr;
    std::unique_ptr<ActiveMessages> made(new ActiveMessages(world, topology, make_key(world, me), address));
    if (!made->find_servers())
        return nullptr;
    the_one_ = made.get();
    static constexpr wait::Standby standby{[](bool first) {
                                               if (first)
                                                   the_one_->server_.enter();
                                               the_one_->server_.serve_beside();
                                           },
                                           [] { the_one_->server_.leave(); }};
    wait::set_standby(&standby);
    return made;
}

ActiveMessages::ActiveMessages(MPI_Comm world, const Topology& topology, const Key& key,
                               const InternetAddress& address)
    : world_(world), topology_(topology), key_(key), server_(address, key)
{
}

ActiveMessages::~ActiveMessages()
{
    mpi::barrier(world_); // all processes have their answers
    wait::set_standby(nullptr);
    the_one_ = nullptr;
}

int ActiveMessages::server_of(int node) const
{
    return active_messages::server_of(topology_.layout(), me_, node);
}

bool ActiveMessages::find_servers()
{
    mpi::check(MPI_Comm_rank(world_, &me_), "MPI_Comm_rank");
    Place mine = server_.place();
    if (!server_.start([this] { return send_held(); }))
        mine.port = 0;
    std::vector<Place> all(static_cast<std::size_t>(topology_.processes()));
    mpi::allgather(&mine, all.data(), sizeof mine, world_);
    for (int node = 0; node < topology_.nodes(); ++node)
        places_.push_back(all[static_cast<std::size_t>(server_of(node))]);
    const auto connections = active_messages::callers_of(topology_.layout(), me_) +
                             static_cast<std::uint64_t>(topology_.nodes() - 1);
    std::string problem = "the system gives it no socket or no thread (too few open files: ulimit -n)";
    const bool is_good = mine.port != 0 && raise_limit_of_descriptors(connections, problem) &&
                         connect((topology_.my_node() + 1) % topology_.nodes(), problem);
    int first_bad = is_good ? topology_.processes() : me_;
    mpi::allreduce(&first_bad, 1, MPI_INT, MPI_MIN, world_);
    if (first_bad == me_)
        diag::warn("operations between nodes go by MPI, as this process cannot use messages of its own over "
                   "TCP: %s; "
                   "ARMCI_TRANSPORT=mpi asks for that, without this warning",
                   problem.c_str());
    return first_bad == topology_.processes();
}

bool ActiveMessages::connect(int node, std::string& problem)
{
    const Place& place = places_[static_cast<std::size_t>(node)];
    const int process = server_of(node);
    active_messages::Socket socket = active_messages::connect_to(place, connect_milliseconds);
    problem = "process " + std::to_string(process) + " at " + to_text(place.address) + ", port " +
              std::to_string(place.port) + ": ";
    if (!socket) {
        problem += std::strerror(errno);
        return false;
    }
    auto line = std::make_unique<Line>(std::move(socket), process);
    if (!line->greet(key_, connect_milliseconds)) {
        problem += "no process of this job answers there";
        return false;
    }
    lines_[node] = std::move(line);
    return true;
}

Line& ActiveMessages::line_to(int process)
{
    const int node = topology_.node_of(process);
    const std::lock_guard lock(guard_);
    const auto found = lines_.find(node);
    if (found != lines_.end())
        return *found->second;
    std::string problem;
    if (!connect(node, problem))
        diag::fatal("libarmci", "cannot reach %s", problem.c_str());
    return *lines_[node];
}

Line* ActiveMessages::line_in_use(int process)
{
    const std::lock_guard lock(guard_);
    const auto found = lines_.find(topology_.node_of(process));
    return found == lines_.end() ? nullptr : found->second.get();
}

std::uint64_t ActiveMessages::fetch(int process, const Fetch& fetch)
{
    Line& line = line_to(process);
    const std::lock_guard lock(line.guard());
    return line.fetch(fetch);
}

void ActiveMessages::send(int process, const Fetch& fetch)
{
    Line& line = line_to(process);
    const std::lock_guard lock(line.guard());
    std::memcpy(line.begin(sizeof fetch), &fetch, sizeof fetch);
    line.end(Kind::fetch, sizeof fetch);
    // The target takes no message while it has answers that this process does not read; a process that waits
    // for this one may be what this one waits for next.
    line.await(line.last_get());
    note_use(line);
}

// The thread waits for no other one of this process, which may wait for a thread like this. A line that is in
// use is looked at again.
bool ActiveMessages::send_held()
{
    bool some_is_left = false;
    const std::unique_lock lock(guard_, std::try_to_lock);
    if (!lock)
        return true;
    for (const auto& [node, line] : lines_) {
        const std::unique_lock line_lock(line->guard(), std::try_to_lock);
        if (line_lock && line->holds_back())
            line->send_some();
        some_is_left = some_is_left || !line_lock || line->holds_back();
    }
    return some_is_left;
}

void ActiveMessages::note_use(Line& line)
{
    if (line.holds_back())
        server_.send_held_later();
    if (std::exchange(line.is_noted, true))
        return;
    const std::lock_guard lock(used_guard_);
    used_.push_back(&line);
}

void ActiveMessages::fence(int process)
{
    Line* const line = line_in_use(process);
    if (line == nullptr)
        return;
    const std::lock_guard lock(line->guard());
    line->complete();
}

// Asks all first, so that their answers are under way at once. A line is noted until it is complete: another
// thread may be here meanwhile, and waits for it, too.
void ActiveMessages::finish_all()
{
    std::vector<Line*> lines = used_lines();
    for (Line* const line : lines) {
        const std::lock_guard lock(line->guard());
        line->ask();
    }
    std::reverse(lines.begin(), lines.end());
    for (Line* const line : lines) {
        const std::lock_guard lock(line->guard());
        line->complete();
        line->await(line->last_get());
        note_end_of_use(*line);
    }
}

std::vector<Line*> ActiveMessages::used_lines()
{
    const std::lock_guard lock(used_guard_);
    return used_;
}

void ActiveMessages::note_end_of_use(Line& line)
{
    if (!std::exchange(line.is_noted, false))
        return;
    const std::lock_guard lock(used_guard_);
    used_.erase(std::next(std::find(used_.rbegin(), used_.rend(), &line)).base());
}

void ActiveMessages::finish_gets(int process)
{
    Line* const line = line_in_use(process);
    if (line == nullptr)
        return;
    const std::lock_guard lock(line->guard());
    line->await(line->last_get());
}

void ActiveMessages::finish_gets()
{
    for (Line* const line : used_lines()) {
        const std::lock_guard lock(line->guard());
        line->await(line->last_get());
    }
}

void ActiveMessages::await(int process, std::uint64_t get)
{
    Line& line = line_to(process);
    const std::lock_guard lock(line.guard());
    line.await(get);
}

bool ActiveMessages::is_here(int process, std::uint64_t get)
{
    Line& line = line_to(process);
    const std::unique_lock lock(line.guard(), std::try_to_lock);
    return lock && line.has_answer(get);
}

ActiveMessages::Puts::Puts(ActiveMessages& messages, int process)
    : messages_(messages), line_(messages.line_to(process)), lock_(line_.guard())
{
}

ActiveMessages::Puts::~Puts()
{
    messages_.note_use(line_);
}

void ActiveMessages::Puts::add(const kernels::Rows& rows)
{
    line_.put({reinterpret_cast<std::uint64_t>(rows.target), rows.target_stride,
               static_cast<std::uint64_t>(rows.count), rows.bytes},
              rows.source, rows.source_stride);
}

ActiveMessages::Gets::Gets(ActiveMessages& messages, int process)
    : messages_(messages), line_(messages.line_to(process)), lock_(line_.guard())
{
    line_.begin_get();
}

void ActiveMessages::Gets::add(const kernels::Rows& rows)
{
    const auto count = static_cast<std::uint64_t>(rows.count);
    line_.add_to_get({reinterpret_cast<std::uint64_t>(rows.source), rows.source_stride, count, rows.bytes},
                     {reinterpret_cast<std::uint64_t>(rows.target), rows.target_stride, count, rows.bytes});
}

std::uint64_t ActiveMessages::Gets::end()
{
    const std::uint64_t number = line_.end_get();
    messages_.note_use(line_);
    return number;
}

void ActiveMessages::Gets::finish()
{
    line_.await(line_.end_get());
}

ActiveMessages::Sums::Sums(ActiveMessages& messages, int process, kernels::Element element, const void* scale)
    : messages_(messages), line_(messages.line_to(process)), lock_(line_.guard())
{
    head_.element = static_cast<std::uint64_t>(element);
    std::memcpy(head_.scale.data(), scale, kernels::element_size(element));
}

ActiveMessages::Sums::~Sums()
{
    if (message_ != nullptr)
        end();
    messages_.note_use(line_);
}

void ActiveMessages::Sums::end()
{
    line_.end(Kind::accumulate, used_);
    message_ = nullptr;
}

// In pieces that fit a message, of whole elements.
void ActiveMessages::Sums::add(kernels::Rows rows)
{
    constexpr std::size_t most = active_messages::most_data;
    if (rows.bytes > most) {
        for (std::int64_t row = 0; row < rows.count; ++row)
            for (std::size_t done = 0; done < rows.bytes; done += most)
                add_piece({rows.target + row * rows.target_stride + done, 0,
                           rows.source + row * rows.source_stride + done, 0, 1,
                           std::min(most, rows.bytes - done)});
        return;
    }
    const auto together = static_cast<std::int64_t>(most / rows.bytes);
    for (std::int64_t left = rows.count; left > 0; left -= rows.count) {
        rows.count = std::min(left, together);
        add_piece(rows);
        rows.target += rows.count * rows.target_stride;
        rows.source += rows.count * rows.source_stride;
    }
}

void ActiveMessages::Sums::add_piece(const kernels::Rows& rows)
{
    const auto count = static_cast<std::uint64_t>(rows.count);
    const std::size_t data = active_messages::padded(count * rows.bytes);
    const bool is_copied = count > 1 || rows.bytes < active_messages::least_direct || data != rows.bytes;
    const std::size_t bytes = sizeof(Run) + (is_copied ? data : 0);
    if (message_ != nullptr && used_ + sizeof(Run) + data > active_messages::most_bytes)
        end();
    if (message_ == nullptr) {
        used_ = sizeof head_;
        message_ = line_.begin(used_);
        std::memcpy(message_, &head_, sizeof head_);
    }
    message_ = line_.begin(used_ + bytes);
    const Run run{reinterpret_cast<std::uint64_t>(rows.target), rows.target_stride, count, rows.bytes};
    std::memcpy(message_ + used_, &run, sizeof run);
    if (!is_copied) {
        line_.end_with(Kind::accumulate, used_ + bytes, {rows.source, rows.bytes});
        message_ = nullptr;
        return;
    }
    std::byte* to = message_ + used_ + sizeof run;
    const std::byte* from = rows.source;
    for (std::int64_t row = 0; row < rows.count; ++row, from += rows.source_stride, to += rows.bytes)
        std::memcpy(to, from, rows.bytes);
    used_ += bytes;
}

} // namespace armci::gmr
