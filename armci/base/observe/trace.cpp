#include "armci/base/observe/trace.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/immortal.hpp"
#include "armci/base/mpi.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace armci::observe::trace {
namespace {

struct Kept {
    explicit Kept(std::size_t most_events) : most(most_events), began(now()) {}

    std::mutex guard;
    std::size_t most;
    std::vector<Event> events; // a ring, once it is full
    std::uint64_t seen = 0;
    Nanoseconds began;
};

constinit Immortal<std::unique_ptr<Kept>> the_kept;
std::unique_ptr<Kept>& kept = the_kept.value;

constexpr int clock_tag = 1;
constexpr int text_tag = 2;
constexpr std::size_t longest_message = std::size_t{16} << 20;

// How far my clock is ahead of rank 0's: of some questions the one that was answered soonest says it best.
Nanoseconds clock_offset(MPI_Comm world, int me, int processes)
{
    constexpr int questions = 16;
    Nanoseconds theirs = 0;
    if (me == 0) {
        for (int i = 0; i < questions * (processes - 1); ++i) {
            MPI_Status status;
            mpi::check(MPI_Recv(nullptr, 0, MPI_INT64_T, MPI_ANY_SOURCE, clock_tag, world, &status),
                       "MPI_Recv");
            theirs = now();
            mpi::check(MPI_Send(&theirs, 1, MPI_INT64_T, status.MPI_SOURCE, clock_tag, world), "MPI_Send");
        }
        return 0;
    }
    Nanoseconds offset = 0;
    Nanoseconds soonest = INT64_MAX;
    for (int i = 0; i < questions; ++i) {
        const Nanoseconds asked = now();
        mpi::check(MPI_Send(nullptr, 0, MPI_INT64_T, 0, clock_tag, world), "MPI_Send");
        mpi::check(MPI_Recv(&theirs, 1, MPI_INT64_T, 0, clock_tag, world, MPI_STATUS_IGNORE), "MPI_Recv");
        const Nanoseconds answered = now();
        if (answered - asked < soonest) {
            soonest = answered - asked;
            offset = asked + (answered - asked) / 2 - theirs;
        }
    }
    return offset;
}

void append_event(std::string& text, const Event& event, int me, Nanoseconds zero)
{
    char line[256];
    // Microseconds, as the format wants them.
    int length = std::snprintf(
        line, sizeof line, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f",
        event.call, me, static_cast<double>(event.began - zero) / 1e3, static_cast<double>(event.took) / 1e3);
    text.append(line, static_cast<std::size_t>(length));
    if (event.bytes >= 0) {
        length = std::snprintf(line, sizeof line,
                               ",\"cat\":\"%s\",\"args\":{\"target\":%d,\"bytes\":%" PRId64 "}}",
                               event.load_store ? "load/store" : "network", event.process, event.bytes);
        text.append(line, static_cast<std::size_t>(length));
    } else {
        text += ",\"cat\":\"wait\"}";
    }
}

// My track: its name, and its events in the order of their times.
std::string my_track(int me, Nanoseconds zero)
{
    const std::lock_guard lock(kept->guard);
    std::vector<Event> events = kept->events;
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.began < b.began; });
    std::string text = (me == 0 ? "" : ",\n") +
                       std::string("{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":") +
                       std::to_string(me) + ",\"args\":{\"name\":\"process " + std::to_string(me);
    if (kept->seen > events.size())
        text +=
            " (the last " + std::to_string(events.size()) + " of " + std::to_string(kept->seen) + " events)";
    text += "\"}}";
    for (const Event& event : events)
        append_event(text, event, me, zero);
    return text;
}

void send(const std::string& text, MPI_Comm world)
{
    const std::uint64_t bytes = text.size();
    mpi::check(MPI_Send(&bytes, 1, MPI_UINT64_T, 0, text_tag, world), "MPI_Send");
    for (std::size_t sent = 0; sent < text.size(); sent += longest_message)
        mpi::check(MPI_Send(text.data() + sent,
                            static_cast<int>(std::min(longest_message, text.size() - sent)), MPI_CHAR, 0,
                            text_tag, world),
                   "MPI_Send");
}

// Passes on what `process` sends.
template <class Sink>
void receive(int process, MPI_Comm world, Sink sink)
{
    std::uint64_t bytes = 0;
    mpi::check(MPI_Recv(&bytes, 1, MPI_UINT64_T, process, text_tag, world, MPI_STATUS_IGNORE), "MPI_Recv");
    std::vector<char> part(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, longest_message)));
    while (bytes > 0) {
        const std::size_t next = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, part.size()));
        mpi::check(MPI_Recv(part.data(), static_cast<int>(next), MPI_CHAR, process, text_tag, world,
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
        sink(part.data(), next);
        bytes -= next;
    }
}

} // namespace

void start(std::size_t most)
{
    kept = std::make_unique<Kept>(most);
}

void stop()
{
    kept.reset();
}

bool enabled()
{
    return kept != nullptr;
}

void record(const Event& event)
{
    const std::lock_guard lock(kept->guard);
    if (kept->events.size() < kept->most)
        kept->events.push_back(event);
    else if (kept->most > 0)
        kept->events[kept->seen % kept->most] = event;
    ++kept->seen;
}

void write(MPI_Comm world, const std::string& path)
{
    int me = 0;
    int processes = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &processes), "MPI_Comm_size");
    const Nanoseconds offset = clock_offset(world, me, processes);
    Nanoseconds zero = kept->began;
    mpi::check(MPI_Bcast(&zero, 1, MPI_INT64_T, 0, world), "MPI_Bcast");
    const std::string track = my_track(me, zero + offset);
    if (me != 0)
        return send(track, world);

    std::FILE* const file = std::fopen(path.c_str(), "w");
    bool good = file != nullptr;
    int error = errno;
    const auto put = [&](const char* text, std::size_t bytes) {
        if (good && std::fwrite(text, 1, bytes, file) != bytes) {
            good = false;
            error = errno;
        }
    };
    const auto put_text = [&](const std::string& text) { put(text.data(), text.size()); };
    put_text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    put_text(track);
    for (int process = 1; process < processes; ++process)
        receive(process, world, put);
    put_text("\n]}\n");
    if (file != nullptr && std::fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (!good)
        diag::warn("ARMCI_TRACE: %s cannot be written: %s", path.c_str(), std::strerror(error));
}

} // namespace armci::observe::trace
