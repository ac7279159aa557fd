#include "tools/selftest.hpp"

#include "armci/base/mpi_traits.hpp"
#include "armci/include/armci.h"
#include "armci/include/message.h"
#include "tools/selftest_job.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace armci::tools {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// --- What is wrong
// ---------------------------------------------------------------------------------------------------

int wrong_here = 0;

// One process says no more than a few things.
[[gnu::format(printf, 1, 2)]] void wrong(const char* format, ...)
{
    constexpr int most_said = 4;
    if (++wrong_here > most_said)
        return;
    char text[256];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "armci_info: process %d: wrong: %s\n", armci_msg_me(), text);
}

// --- Right answers
// ---------------------------------------------------------------------------------------------------

// What `writer` puts into element i in some round.
double element(int writer, int round, std::size_t i)
{
    return static_cast<double>(
        (static_cast<std::size_t>(writer) * 131 + static_cast<std::size_t>(round) * 17 + i) % 1000003);
}

std::vector<double> pattern(int writer, int round, std::size_t count)
{
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = element(writer, round, i);
    return values;
}

void compare(const char* what, const Partner& partner, const std::vector<double>& found,
             const std::vector<double>& wanted)
{
    const auto [bad, good] = std::mismatch(found.begin(), found.end(), wanted.begin());
    if (bad != found.end())
        wrong("%s, process %d (%s): element %td of %zu is %g instead of %g", what, partner.process,
              partner.where, bad - found.begin(), found.size(), *bad, *good);
}

// Contiguous transfers of many lengths, there, back, and added to.
void check_contiguous(const Partner& partner)
{
    double twice = 2;
    int round = 0;
    for (const std::size_t count : {1u, 2u, 7u, 64u, 1000u, 8192u}) {
        std::vector<double> mine = pattern(armci_msg_me(), ++round, count);
        const int bytes = static_cast<int>(count * sizeof(double));
        ARMCI_Put(mine.data(), partner.area, bytes, partner.process);
        std::vector<double> back(count);
        ARMCI_Get(partner.area, back.data(), bytes, partner.process);
        compare("put, then get", partner, back, mine);
        ARMCI_Acc(ARMCI_ACC_DBL, &twice, mine.data(), partner.area, bytes, partner.process);
        ARMCI_Get(partner.area, back.data(), bytes, partner.process);
        for (double& value : mine)
            value *= 3;
        compare("accumulate, then get", partner, back, mine);
    }
}

// A patch of a two-dimensional array: put and added to by strided calls, got by a vector call.
void check_patches(const Partner& partner)
{
    constexpr int rows = 50;
    constexpr int columns = 30;
    constexpr int row_length = 100; // elements of the target's array
    std::vector<double> mine = pattern(armci_msg_me(), 99, rows * columns);
    int here_stride = columns * static_cast<int>(sizeof(double));
    int there_stride = row_length * static_cast<int>(sizeof(double));
    int count[2] = {here_stride, rows};
    double one = 1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPutS(mine.data(), &here_stride, partner.area, &there_stride, count, 1, partner.process, &handle);
    ARMCI_Wait(&handle);
    ARMCI_AccS(ARMCI_ACC_DBL, &one, mine.data(), &here_stride, partner.area, &there_stride, count, 1,
               partner.process);
    std::vector<double> back(mine.size());
    std::array<void*, rows> from{};
    std::array<void*, rows> to{};
    for (std::size_t row = 0; row < rows; ++row) {
        from[row] = partner.area + row * row_length;
        to[row] = back.data() + row * columns;
    }
    armci_giov_t segments{from.data(), to.data(), here_stride, rows};
    ARMCI_GetV(&segments, 1, partner.process);
    for (double& value : mine)
        value *= 2;
    compare("strided put and accumulate, then vector get", partner, back, mine);
}

// My later operations on the same memory find what my earlier ones did.
void check_order(const Partner& partner)
{
    constexpr int rounds = 300;
    std::vector<double> block(512);
    double one = 1;
    for (int round = 0; round < rounds; ++round) {
        std::fill(block.begin(), block.end(), round);
        ARMCI_Put(block.data(), partner.area, 4096, partner.process);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, partner.area + 17, 8, partner.process);
        double seen = 0;
        ARMCI_Get(partner.area + 17, &seen, 8, partner.process);
        if (seen != round + 1)
            return wrong("order, process %d (%s): %g instead of %d after a put and an accumulate",
                         partner.process, partner.where, seen, round + 1);
    }
}

// A put before a notify is there when the notify is.
void check_notify(const Partner& partner, int from, double* my_area)
{
    constexpr int rounds = 50;
    for (int round = 1; round <= rounds; ++round) {
        double value = armci_msg_me() * 1000 + round;
        ARMCI_Put(&value, partner.area, 8, partner.process);
        armci_notify(partner.process);
        armci_notify_wait(from, nullptr);
        const double seen = *static_cast<volatile double*>(my_area);
        if (seen != from * 1000 + round)
            return wrong("notify from process %d (%s): %g instead of %d", from, partner.where, seen,
                         from * 1000 + round);
        armci_notify(from); // I have looked: the next value may come
        armci_notify_wait(partner.process, nullptr);
    }
}

// Everybody draws numbers from one counter, each of which must come once, and adds to one sum.
void check_counter(const Job& job, int owner)
{
    constexpr long draws = 100;
    auto* const counter = reinterpret_cast<long*>(job.common(owner));
    double* const sum = job.common(owner) + 1;
    if (job.me() == owner)
        std::memset(job.common(owner), 0, 2 * sizeof(double));
    ARMCI_Barrier();
    std::vector<long> drawn;
    double one = 1;
    for (long i = 0; i < draws; ++i) {
        long number = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, counter, 1, owner);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, sum, 8, owner);
        drawn.push_back(number);
    }
    if (!std::is_sorted(drawn.begin(), drawn.end()))
        wrong("a counter of process %d went backwards", owner);
    const long all = draws * job.processes();
    std::vector<int> times(static_cast<std::size_t>(all));
    for (const long number : drawn)
        if (number >= 0 && number < all)
            ++times[static_cast<std::size_t>(number)];
    armci_msg_igop(times.data(), static_cast<int>(times.size()), const_cast<char*>("+"));
    ARMCI_Barrier();
    if (job.me() != owner)
        return;
    if (std::any_of(times.begin(), times.end(), [](int count) { return count != 1; }))
        wrong("fetch-and-add on process %d: some number of %ld came twice or never", owner, all);
    if (*sum != static_cast<double>(all))
        wrong("accumulates of all on process %d: the sum is %g instead of %ld", owner, *sum, all);
}

// What only one may do at a time.
void check_mutex(const Job& job, int owner)
{
    constexpr int turns = 25;
    double* const value = job.common(owner);
    if (job.me() == owner)
        *value = 0;
    ARMCI_Barrier();
    for (int turn = 0; turn < turns; ++turn) {
        ARMCI_Lock(0, owner);
        double seen = 0;
        ARMCI_Get(value, &seen, 8, owner);
        seen += 1;
        ARMCI_Put(&seen, value, 8, owner);
        ARMCI_Unlock(0, owner);
    }
    ARMCI_Barrier();
    if (job.me() == owner && *value != turns * job.processes())
        wrong("a mutex of process %d let two in at once: %g turns are left of %d", owner, *value,
              turns * job.processes());
}

// --- How fast
// --------------------------------------------------------------------------------------------------------

// The median of batches, in seconds for one.
double time_of(const std::function<void()>& operation)
{
    constexpr double batch_seconds = 0.002;
    operation();
    int count = 1;
    for (;; count *= 2) {
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i)
            operation();
        if (seconds_since(begin) >= batch_seconds)
            break;
    }
    std::array<double, 9> batches{};
    for (double& batch : batches) {
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i)
            operation();
        batch = seconds_since(begin) / count;
    }
    std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
    return batches[batches.size() / 2];
}

struct Speeds {
    double put = 0; // of 8 bytes, seconds
    double get = 0;
    double fetch_and_add = 0;
    double put_rate = 0; // of 1 MiB, bytes a second
    double get_rate = 0;
    double patch_rate = 0; // strided get of 1 MiB in rows of 512 bytes
};

Speeds measure(const Partner& partner)
{
    constexpr int small = 8;
    constexpr int large = 1 << 20;
    std::vector<double> buffer(large / sizeof(double));
    long ignored = 0;
    int here_stride = 512;
    int there_stride = 1024;
    int count[2] = {512, large / 512 / 2};
    Speeds speeds;
    const auto put = [&](int bytes) {
        ARMCI_Put(buffer.data(), partner.area, bytes, partner.process);
        ARMCI_Fence(partner.process);
    };
    const auto get = [&](int bytes) { ARMCI_Get(partner.area, buffer.data(), bytes, partner.process); };
    speeds.put = time_of([&] { put(small); });
    speeds.get = time_of([&] { get(small); });
    speeds.fetch_and_add =
        time_of([&] { ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ignored, partner.area, 1, partner.process); });
    speeds.put_rate = large / time_of([&] { put(large); });
    speeds.get_rate = large / time_of([&] { get(large); });
    speeds.patch_rate =
        large / 2 / time_of([&] {
            ARMCI_GetS(partner.area, &there_stride, buffer.data(), &here_stride, count, 1, partner.process);
        });
    return speeds;
}

// How long a get waits for a process that computes and calls nothing meanwhile; -1 where nobody asks.
double answer_of_a_busy_process(const Job& job)
{
    constexpr double busy_seconds = 0.2;
    const int busy = job.processes() - 1;
    double waited = -1;
    ARMCI_Barrier();
    if (job.me() == busy) {
        const auto begin = Clock::now();
        while (seconds_since(begin) < busy_seconds) {
        }
    } else if (job.me() == 0) {
        double seen = 0;
        const auto begin = Clock::now();
        while (seconds_since(begin) < busy_seconds / 10) { // until it is at work
        }
        const auto asked = Clock::now();
        ARMCI_Get(job.common(busy), &seen, 8, busy);
        waited = seconds_since(asked);
    }
    ARMCI_Barrier();
    return waited;
}

// --- One screen
// ------------------------------------------------------------------------------------------------------

constexpr std::size_t columns = 3;
constexpr const char* title[columns] = {"on itself", "on its node", "between nodes"};

class Screen {
public:
    explicit Screen(const Job& job) : job_(job) {}

    template <class... Values>
    void line(const char* format, Values... values) const
    {
        if (job_.me() == 0)
            std::printf(format, values...);
    }

    // Lets all processes check, each with its partners; collective.
    void check(const char* what, const std::function<void(std::size_t)>& run) const
    {
        line("  %-34s", what);
        for (std::size_t column = 0; column < columns; ++column) {
            const int before = wrong_here;
            ARMCI_Barrier();
            if (job_.partner(column).process >= 0)
                run(column);
            ARMCI_Barrier();
            line(" %15s", !exists(column) ? "-" : everywhere(wrong_here - before) > 0 ? "WRONG" : "right");
        }
        line("\n");
    }
    void check_together(const char* what, const std::function<void()>& run) const
    {
        const int before = wrong_here;
        run();
        line("  %-34s %15s\n", what, everywhere(wrong_here - before) > 0 ? "WRONG" : "right");
    }
    void figures(const char* what, const std::array<Speeds, columns>& speeds, double Speeds::*which,
                 double unit) const
    {
        line("  %-34s", what);
        for (std::size_t column = 0; column < columns; ++column)
            if (speeds[column].*which > 0)
                line(" %15.3g", speeds[column].*which * unit);
            else
                line(" %15s", "-");
        line("\n");
    }
    void titles(const char* what) const
    {
        line("\n  %-34s %15s %15s %15s\n", what, title[0], title[1], title[2]);
    }

    static int everywhere(int count)
    {
        armci_msg_igop(&count, 1, const_cast<char*>("+"));
        return count;
    }

private:
    // On any process: collective, and process 0 may have no partner of its own.
    bool exists(std::size_t column) const
    {
        return everywhere(job_.partner(column).process >= 0 ? 1 : 0) > 0;
    }

    const Job& job_;
};

void show_what_it_rests_on(const Screen& screen, const Job& job)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[std::strcspn(version, "\n,")] = '\0';
    screen.line("armci-rma %s self-test: %d processes on %d nodes, %s\n", ARMCI_RMA_VERSION, job.processes(),
                job.nodes(), version);
    screen.line("  on a node by %s, between nodes by %s\n",
                job.load_store() ? "load and store" : "MPI (ARMCI_FORCE_MPI, or no memory to share)",
                job.nodes() > 1 ? traits::name_of(traits::in_use.component) : "nothing: there is one");
}

int run_checks()
{
    const Job job;
    const Screen screen(job);
    show_what_it_rests_on(screen, job);

    screen.titles("answers");
    screen.check("put, get, accumulate", [&](std::size_t column) { check_contiguous(job.partner(column)); });
    screen.check("strided and vector", [&](std::size_t column) { check_patches(job.partner(column)); });
    screen.check("order of one process's calls",
                 [&](std::size_t column) { check_order(job.partner(column)); });
    screen.check("notify after put", [&](std::size_t column) {
        check_notify(job.partner(column), job.origin(column), job.area(column));
    });
    screen.check_together("counter and sum, all at once", [&] {
        check_counter(job, 0);
        check_counter(job, job.processes() - 1);
    });
    ARMCI_Create_mutexes(1);
    screen.check_together("mutex, all at once", [&] {
        check_mutex(job, 0);
        check_mutex(job, job.processes() - 1);
    });
    ARMCI_Destroy_mutexes();

    std::array<Speeds, columns> speeds{};
    for (std::size_t column = 0; column < columns; ++column) {
        ARMCI_Barrier();
        if (job.me() == 0 && job.partner(column).process >= 0)
            speeds[column] = measure(job.partner(column));
        ARMCI_Barrier();
    }
    screen.titles("speed, process 0 alone");
    constexpr double microseconds = 1e6;
    constexpr double gigabytes = 1e-9;
    screen.figures("8-byte put and fence, us", speeds, &Speeds::put, microseconds);
    screen.figures("8-byte get, us", speeds, &Speeds::get, microseconds);
    screen.figures("fetch-and-add, us", speeds, &Speeds::fetch_and_add, microseconds);
    screen.figures("1 MiB put, GB/s", speeds, &Speeds::put_rate, gigabytes);
    screen.figures("1 MiB get, GB/s", speeds, &Speeds::get_rate, gigabytes);
    screen.figures("strided get, rows of 512, GB/s", speeds, &Speeds::patch_rate, gigabytes);
    const double waited = answer_of_a_busy_process(job);
    if (waited >= 0)
        screen.line("\n  A get from process %d, which computed for 200 ms meanwhile, took %.3g ms%s.\n",
                    job.processes() - 1, waited * 1e3,
                    waited > 0.05 ? ": it waits until that process calls the library" : "");

    const int all_wrong = Screen::everywhere(wrong_here);
    screen.line(all_wrong == 0 ? "\nAll is right.\n"
                               : "\n%d answers are wrong; see above, and docs/mpi-facts.md.\n",
                all_wrong);
    return all_wrong == 0 ? 0 : 1;
}

} // namespace

int selftest()
{
    if (ARMCI_Init() != 0)
        return 1;
    const int result = run_checks();
    ARMCI_Finalize();
    return result;
}

} // namespace armci::tools
