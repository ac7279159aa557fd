#include "tools/selftest/selftest.hpp"

#include "armci/base/mpi_traits.hpp"
#include "armci/include/armci.h"
#include "armci/include/message.h"
#include "gmr/active_messages/active_messages.hpp"
#include "tools/selftest/answers.hpp"
#include "tools/selftest/job.hpp"
#include "tools/selftest/speed.hpp"
#include "tools/selftest/wrong.hpp"

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>

namespace armci::tools {
namespace {

constexpr std::size_t columns = 3;
constexpr const char* title[columns] = {"on itself", "on its node", "between nodes"};

// What process 0 prints.
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
            const int before = wrong_here();
            ARMCI_Barrier();
            if (job_.partner(column).process >= 0)
                run(column);
            ARMCI_Barrier();
            line(" %15s", !exists(column) ? "-" : everywhere(wrong_here() - before) > 0 ? "WRONG" : "right");
        }
        line("\n");
    }
    void check_together(const char* what, const std::function<void()>& run) const
    {
        const int before = wrong_here();
        run();
        line("  %-34s %15s\n", what, everywhere(wrong_here() - before) > 0 ? "WRONG" : "right");
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
                job.nodes() == 1                            ? "nothing: there is one"
                : gmr::ActiveMessages::the_one() != nullptr ? "the library's own messages over TCP"
                                                            : traits::name_of(traits::in_use.component));
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

    const int all_wrong = Screen::everywhere(wrong_here());
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
