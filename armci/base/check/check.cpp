// Long, so that all that happens under the one lock of the checks stands together.
#include "armci/base/check/check.hpp"

#include "armci/base/check/order.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/immortal.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/wait.hpp"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace armci::check {

bool active = false;

namespace {

// Touches of one process between two barriers; later ones are not seen.
constexpr std::size_t most_touches = 4'000'000;
constexpr int most_said = 20; // by one process
constexpr std::size_t most_races = 64;

struct Region {
    const char* call;
    std::uint64_t bytes;
};

struct State {
    State(int my_id, int all) : me(my_id), processes(all), touched(static_cast<std::size_t>(all)) {}

    std::mutex guard;
    int me;
    int processes;
    Ticket ticket = nullptr;
    std::vector<std::vector<Touch>> touched; // by owner
    std::size_t touches = 0;
    bool too_many = false;
    std::vector<Synchronisation> synchronisations;
    Loans loans;
    std::map<std::uintptr_t, Region> regions; // my slices, by start
    std::uint64_t findings = 0;
};

constinit Immortal<std::unique_ptr<State>> the_state;
std::unique_ptr<State>& state = the_state.value;

// What the checks do themselves is not checked.
thread_local bool inside = false;

class Inside {
public:
    Inside() { inside = true; }
    ~Inside() { inside = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

bool looks()
{
    return active && !inside && state != nullptr;
}

template <class... Values>
void found(const char* format, Values... values)
{
    if (++state->findings <= most_said)
        diag::warn(format, values...);
}

void found_broken(const char* call, const std::vector<Loan>& broken)
{
    for (const Loan& loan : broken)
        found("check: the buffer of %s to process %d, %p to %p, was changed or freed before %s completed it",
              loan.call, loan.process, reinterpret_cast<void*>(loan.buffer.front().begin),
              reinterpret_cast<void*>(loan.buffer.back().end), call);
}

// Which region of mine holds an address.
std::string region_of(std::uint64_t address)
{
    auto after = state->regions.upper_bound(address);
    // What lay there may be freed since: on a group, no barrier of the world need come before.
    if (after == state->regions.begin() ||
        address >= std::prev(after)->first + std::prev(after)->second.bytes)
        return "of a region that is freed";
    const auto& [start, region] = *std::prev(after);
    char text[128];
    std::snprintf(text, sizeof text, "bytes %" PRIu64 " on of the %" PRIu64 " at %p from %s", address - start,
                  region.bytes, reinterpret_cast<void*>(start), region.call);
    return text;
}

void synchronise(std::uint64_t object, bool acquires)
{
    if (!looks() || state->ticket == nullptr)
        return;
    std::uint64_t ticket = 0;
    {
        const Inside guard;
        ticket = state->ticket();
    }
    const std::lock_guard lock(state->guard);
    state->synchronisations.push_back({ticket, object, state->me, acquires ? 1 : 0});
}

// A record as MPI sees it: records are counted by int, and their bytes may be more than that.
template <class Record>
class RecordType {
public:
    RecordType()
    {
        mpi::check(MPI_Type_contiguous(sizeof(Record), MPI_BYTE, &type_), "MPI_Type_contiguous");
        mpi::check(MPI_Type_commit(&type_), "MPI_Type_commit");
    }
    ~RecordType() { MPI_Type_free(&type_); }
    RecordType(const RecordType&) = delete;
    RecordType& operator=(const RecordType&) = delete;

    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// The records of all, on every process.
template <class Record>
std::vector<Record> share(const std::vector<Record>& mine, MPI_Comm world)
{
    const RecordType<Record> type;
    const int my_count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<std::size_t>(state->processes));
    mpi::check(MPI_Allgather(&my_count, 1, MPI_INT, counts.data(), 1, MPI_INT, world), "MPI_Allgather");
    std::vector<int> places(counts.size());
    int sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        sum = (places[i] = sum) + counts[i];
    std::vector<Record> all(static_cast<std::size_t>(sum));
    mpi::check(MPI_Allgatherv(mine.data(), my_count, type.get(), all.data(), counts.data(), places.data(),
                              type.get(), world),
               "MPI_Allgatherv");
    return all;
}

// What others, and I, have touched of my memory.
std::vector<Touch> of_mine(std::vector<std::vector<Touch>> touched, MPI_Comm world)
{
    const RecordType<Touch> type;
    const std::size_t processes = touched.size();
    std::vector<int> sent(processes);
    std::vector<int> received(processes);
    for (std::size_t i = 0; i < processes; ++i) {
        join(touched[i]);
        sent[i] = static_cast<int>(touched[i].size());
    }
    mpi::check(MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, world), "MPI_Alltoall");
    std::vector<int> from(processes);
    std::vector<int> to(processes);
    int all_sent = 0;
    int all_received = 0;
    std::vector<Touch> out;
    for (std::size_t i = 0; i < processes; ++i) {
        all_sent = (from[i] = all_sent) + sent[i];
        all_received = (to[i] = all_received) + received[i];
        out.insert(out.end(), touched[i].begin(), touched[i].end());
    }
    std::vector<Touch> mine(static_cast<std::size_t>(all_received));
    mpi::check(MPI_Alltoallv(out.data(), sent.data(), from.data(), type.get(), mine.data(), received.data(),
                             to.data(), type.get(), world),
               "MPI_Alltoallv");
    return mine;
}

void say(const Race& race)
{
    found("check: process %d in %s and process %d in %s both touched %" PRIu64
          " bytes of process %d, %s, and nothing "
          "orders the two",
          race.first.origin, race.first.call.data(), race.second.origin, race.second.call.data(),
          race.end - race.begin, state->me, region_of(race.begin).c_str());
}

// What a member says of the collective call that it is in.
struct Attendance {
    std::int32_t process;
    CallName call;
    std::int64_t first;
    std::int64_t second;
};

// Says once where a process waits for long, as the others may be elsewhere.
void finish_patiently(MPI_Request& request, const char* call)
{
    constexpr auto patience = std::chrono::seconds(30);
    const auto begin = std::chrono::steady_clock::now();
    bool said = false;
    wait::until([&] {
        int done = 0;
        mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done == 0 && !said && std::chrono::steady_clock::now() - begin > patience) {
            said = true;
            diag::warn("check: process %d has waited %d s for the others in %s; they are in no collective "
                       "call of this "
                       "group",
                       state->me, static_cast<int>(patience.count()), call);
        }
        return done != 0;
    });
}

} // namespace

void start(int me, int processes)
{
    state = std::make_unique<State>(me, processes);
    active = true;
}

void set_ticket(Ticket ticket)
{
    if (state != nullptr)
        state->ticket = ticket;
}

void stop(MPI_Comm world)
{
    if (state == nullptr)
        return;
    for (const Loan& loan : state->loans.all())
        if (loan.handle != nullptr)
            found("check: the handle %p of %s to process %d was never waited for", loan.handle, loan.call,
                  loan.process);
    for (const auto& [start, region] : state->regions)
        found("check: %" PRIu64 " bytes at %p from %s were never freed", region.bytes,
              reinterpret_cast<void*>(start), region.call);
    std::uint64_t all = 0;
    mpi::check(MPI_Reduce(&state->findings, &all, 1, MPI_UINT64_T, MPI_SUM, 0, world), "MPI_Reduce");
    if (state->me == 0)
        diag::say("check: %" PRIu64 " findings", all);
    active = false;
    state.reset();
}

void Operation::segment(const void* remote, const void* local, std::uint64_t bytes)
{
    const auto there = reinterpret_cast<std::uintptr_t>(remote);
    const auto here = reinterpret_cast<std::uintptr_t>(local);
    remote_.push_back({there, there + bytes});
    local_.push_back({here, here + bytes});
}

void Operation::end()
{
    if (!looks() || remote_.empty())
        return;
    const std::lock_guard lock(state->guard);
    const bool writes_local = access_ == Access::read;
    if (const Loan* const loan = state->loans.against(local_, writes_local))
        found("check: %s %s bytes of the buffer of %s to process %d, which is not complete: %p to %p", call_,
              writes_local ? "writes" : "reads", loan->call, loan->process,
              reinterpret_cast<void*>(loan->buffer.front().begin),
              reinterpret_cast<void*>(loan->buffer.back().end));
    if (!blocking_)
        state->loans.lend(call_, handle_, process_, writes_local, std::move(local_));
    if (state->touches + remote_.size() > most_touches) {
        if (!std::exchange(state->too_many, true))
            diag::warn("check: process %d touched more than %zu segments since the last barrier; races among "
                       "later ones "
                       "are not seen",
                       state->me, most_touches);
        return;
    }
    state->touches += remote_.size();
    const CallName name = call_name(call_);
    for (const Bytes& one : remote_)
        state->touched[static_cast<std::size_t>(process_)].push_back(
            {one.begin, one.end, state->me, static_cast<std::uint32_t>(state->synchronisations.size()),
             access_, name});
}

void operation(const char* call, Access access, int process, const void* remote, const void* local,
               std::uint64_t bytes, bool blocking, const void* handle)
{
    Operation one(call, access, process, blocking, handle);
    one.segment(remote, local, bytes);
    one.end();
}

void waited(const char* call, const void* handle)
{
    if (!looks())
        return;
    const std::lock_guard lock(state->guard);
    found_broken(call, state->loans.end_handle(handle));
}

void renewed(const char* call, const void* handle)
{
    if (!looks())
        return;
    const std::lock_guard lock(state->guard);
    for (const Loan& loan : state->loans.all())
        if (loan.handle == handle)
            found("check: %s makes the handle %p new, which %s to process %d has not been waited for with",
                  call, handle, loan.call, loan.process);
    state->loans.forget(handle);
}

void completed(const char* call, int process, bool those_with_handles, bool those_written)
{
    if (!looks())
        return;
    const std::lock_guard lock(state->guard);
    found_broken(call, state->loans.end_process(process, those_with_handles, those_written));
}

std::uint64_t object(Object sort, std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    std::uint64_t hash = static_cast<std::uint64_t>(sort) + 1;
    for (const std::uint64_t part : {a, b, c}) { // the mixer of splitmix64
        hash += part + 0x9e3779b97f4a7c15U;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
        hash ^= hash >> 31;
    }
    return hash;
}

void release(std::uint64_t object)
{
    synchronise(object, false);
}

void acquire(std::uint64_t object)
{
    synchronise(object, true);
}

void barrier(MPI_Comm world)
{
    if (!looks())
        return;
    std::vector<std::vector<Touch>> touched(static_cast<std::size_t>(state->processes));
    std::vector<Synchronisation> mine;
    {
        const std::lock_guard lock(state->guard);
        touched.swap(state->touched);
        mine.swap(state->synchronisations);
        state->touches = 0;
        state->too_many = false;
    }
    const std::vector<Touch> touches = of_mine(std::move(touched), world);
    const Order order(state->processes, share(mine, world));
    const std::lock_guard lock(state->guard);
    for (const Race& race : find_races(touches, order, most_races))
        say(race);
}

void agree(const char* call, MPI_Comm comm, std::int64_t first, std::int64_t second)
{
    if (!looks())
        return;
    int size = 0;
    mpi::check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    const Attendance mine{state->me, call_name(call), first, second};
    std::vector<Attendance> all(static_cast<std::size_t>(size));
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(
        MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request),
        "MPI_Iallgather");
    finish_patiently(request, call);
    for (const Attendance& other : all) {
        if (other.call != all.front().call)
            diag::fatal(call, "check: collective calls differ: process %d is in %s, process %d in %s",
                        all.front().process, all.front().call.data(), other.process, other.call.data());
        if (other.first != all.front().first || other.second != all.front().second)
            diag::fatal(call,
                        "check: collective calls differ: process %d gives %" PRId64 " and %" PRId64
                        ", process %d gives %" PRId64 " and %" PRId64,
                        all.front().process, all.front().first, all.front().second, other.process,
                        other.first, other.second);
    }
}

void allocated(const char* call, const void* start, std::int64_t bytes)
{
    if (!looks() || bytes == 0)
        return;
    const std::lock_guard lock(state->guard);
    state->regions[reinterpret_cast<std::uintptr_t>(start)] = {call, static_cast<std::uint64_t>(bytes)};
}

void freed(const void* start)
{
    if (!looks())
        return;
    const std::lock_guard lock(state->guard);
    state->regions.erase(reinterpret_cast<std::uintptr_t>(start));
}

} // namespace armci::check
