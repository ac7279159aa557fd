// The main function of every GoogleTest program under MPI.
//
//   1. All ranks run all tests, in step: a test starts when every rank has ended the one before.
//   2. Rank 0 prints what GoogleTest prints; other ranks print their failures only, each line with the rank.
//   3. A fatal failure ends the job, as the other ranks may be waiting for the rank that left its test.
//   4. A test that takes longer than TEST_WATCHDOG seconds is named, with a stack, and the job ended.
//   5. At the end rank 0 names the ranks that failed each test, and every rank ends with the same status.
//   6. The sanitizer build looks for leaks before MPI_Finalize, while what an MPI library still needs can be
//   told
//      from what it lost.
#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>
#include <mpi.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace armci_test {
namespace {

// PMPI names throughout, so that the harness is not counted by pmpi_count.
MPI_Comm harness = MPI_COMM_NULL;
int my_rank = 0;
int rank_count = 1;
std::uint64_t run_seed = 0;

void nap(int milliseconds)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// One write for all, so that ranks do not mix within a message.
void print_with_rank(const std::string& text)
{
    std::istringstream lines(text);
    std::string line, out;
    while (std::getline(lines, line))
        out += "[rank " + std::to_string(my_rank) + "] " + line + "\n";
    std::fflush(stdout);
    for (std::size_t done = 0; done < out.size();) {
        const ssize_t wrote = write(STDERR_FILENO, out.data() + done, out.size() - done);
        if (wrote <= 0)
            break;
        done += static_cast<std::size_t>(wrote);
    }
}

std::string full_name(const testing::TestInfo& test)
{
    return std::string(test.test_suite_name()) + "." + test.name();
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise)
{
    const char* text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 0);
}

// --- Watchdog ----------------------------------------------------------------------------------------------

extern "C" void show_stack_and_leave(int)
{
    void* frames[64];
    const int depth = backtrace(frames, 64);
    backtrace_symbols_fd(frames, depth, STDERR_FILENO);
    // Not MPI_Abort: the thread interrupted may be inside MPI. Launchers end a job whose rank leaves so.
    _exit(3);
}

class Watchdog {
public:
    explicit Watchdog(std::chrono::seconds limit) : limit_(limit), watched_(pthread_self())
    {
        void* frame[1];
        backtrace(frame, 1); // loads what a later call in the signal handler needs
        signal(SIGUSR2, show_stack_and_leave);
        if (limit_.count() > 0)
            thread_ = std::thread([this] { watch(); });
    }
    ~Watchdog()
    {
        {
            const std::lock_guard guard(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable())
            thread_.join();
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    void enter(std::string what)
    {
        {
            const std::lock_guard guard(mutex_);
            what_ = std::move(what);
            ++step_;
        }
        changed_.notify_all();
    }

private:
    void watch()
    {
        std::unique_lock guard(mutex_);
        while (!ended_) {
            const long step = step_;
            if (changed_.wait_for(guard, limit_, [&] { return ended_ || step_ != step; }))
                continue;
            print_with_rank("no end after " + std::to_string(limit_.count()) + " s: " + what_);
            nap(1000); // the others say what they wait for, too
            pthread_kill(watched_, SIGUSR2);
            nap(5000);
            _exit(3);
        }
    }

    std::chrono::seconds limit_;
    pthread_t watched_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string what_ = "start";
    long step_ = 0;
    bool ended_ = false;
    std::thread thread_;
};

// --- What happens during the tests -------------------------------------------------------------------------

class Listener : public testing::EmptyTestEventListener {
public:
    explicit Listener(Watchdog& watchdog) : watchdog_(watchdog) {}

    void OnTestStart(const testing::TestInfo& test) override
    {
        current_ = full_name(test);
        watchdog_.enter("waiting for the other ranks before " + current_);
        quiet_barrier();
        watchdog_.enter(current_);
    }

    void OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (!result.failed())
            return;
        if (my_rank != 0 || result.fatally_failed()) {
            std::ostringstream text;
            text << current_ << (result.fatally_failed() ? ": fatal failure at " : ": failure at ")
                 << (result.file_name() == nullptr ? "unknown file" : result.file_name()) << ":"
                 << result.line_number() << "\n"
                 << result.message();
            print_with_rank(text.str());
        }
        if (result.fatally_failed() && rank_count > 1) {
            nap(300); // the others may be about to say the same
            std::fflush(nullptr);
            PMPI_Abort(MPI_COMM_WORLD, 1);
        }
    }

    void OnTestEnd(const testing::TestInfo& test) override
    {
        if (test.result()->Failed())
            failed_ += current_ + "\n";
        watchdog_.enter("between tests, after " + current_);
        current_ = "outside any test";
    }

    const std::string& failed() const { return failed_; }

private:
    Watchdog& watchdog_;
    // Kept here, as GoogleTest holds its lock when it reports a failure.
    std::string current_ = "outside any test";
    std::string failed_;
};

// Rank 0 says which ranks failed which tests.
void print_summary(const std::string& failed)
{
    const int length = static_cast<int>(failed.size());
    std::vector<int> lengths(rank_count), offsets(rank_count + 1, 0);
    PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, harness);
    for (int r = 0; r < rank_count; ++r)
        offsets[r + 1] = offsets[r] + lengths[r];
    std::string all(offsets.back(), '\0');
    PMPI_Gatherv(failed.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0,
                 harness);
    if (my_rank != 0 || all.empty())
        return;
    std::map<std::string, std::string> ranks_of;
    for (int r = 0; r < rank_count; ++r) {
        std::istringstream names(all.substr(offsets[r], lengths[r]));
        for (std::string name; std::getline(names, name);)
            ranks_of[name] += " " + std::to_string(r);
    }
    for (const auto& [name, ranks] : ranks_of)
        std::printf("FAILED %s on rank(s)%s of %d\n", name.c_str(), ranks.c_str(), rank_count);
    std::printf("To repeat: TEST_SEED=%llu\n", static_cast<unsigned long long>(run_seed));
}

bool armci_call_failed(const char* call, int result)
{
    if (result != 0)
        print_with_rank(std::string(call) + " returned " + std::to_string(result));
    return result != 0;
}

int run_tests(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (testing::GTEST_FLAG(random_seed) == 0)
        testing::GTEST_FLAG(random_seed) = static_cast<int>(run_seed % 99999) + 1;
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    if (my_rank != 0) {
        testing::GTEST_FLAG(output) = "";
        delete listeners.Release(listeners.default_xml_generator());
        delete listeners.Release(listeners.default_result_printer());
    } else {
        std::printf("%d rank(s), TEST_SEED=%llu\n", rank_count, static_cast<unsigned long long>(run_seed));
        std::fflush(stdout);
    }

    Watchdog watchdog(std::chrono::seconds(number_from_environment("TEST_WATCHDOG", 120)));
    auto owned = std::make_unique<Listener>(watchdog);
    Listener* listener = owned.get();
    listeners.Append(owned.release());

    int status = 0;
    if (!program_starts_armci) {
        watchdog.enter("ARMCI_Init");
        if (armci_call_failed("ARMCI_Init",
                              program_has_threads ? ARMCI_Init_thread(MPI_THREAD_MULTIPLE) : ARMCI_Init()))
            PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (RUN_ALL_TESTS() != 0)
        status = 1;
    watchdog.enter("summary");
    quiet_barrier();
    print_summary(listener->failed());
    if (!program_starts_armci) {
        watchdog.enter("ARMCI_Finalize");
        if (armci_call_failed("ARMCI_Finalize", ARMCI_Finalize()))
            status = 1;
    }
    watchdog.enter("end");
    int worst = 0;
    PMPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, harness);
    return worst;
}

} // namespace

int rank()
{
    return my_rank;
}

int size()
{
    return rank_count;
}

std::uint64_t seed()
{
    return run_seed;
}

std::mt19937_64 common_generator(std::uint64_t stream)
{
    std::seed_seq words{run_seed & 0xffffffffu, run_seed >> 32, stream & 0xffffffffu, stream >> 32};
    return std::mt19937_64(words);
}

std::mt19937_64 rank_generator(std::uint64_t stream)
{
    std::seed_seq words{run_seed & 0xffffffffu, run_seed >> 32, stream & 0xffffffffu, stream >> 32,
                        static_cast<std::uint64_t>(my_rank) + 1};
    return std::mt19937_64(words);
}

void quiet_barrier()
{
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ibarrier(harness, &request);
    for (int polls = 0, done = 0; !done; ++polls) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done && polls > 100)
            std::this_thread::sleep_for(std::chrono::microseconds(polls < 1000 ? 100 : 1000));
    }
}

} // namespace armci_test

#ifdef __SANITIZE_ADDRESS__
// MPI libraries unload components that they do not use. Kept, they have names in the stacks of what they
// leaked, for lsan.supp to match.
extern "C" __attribute__((visibility("default"))) int dlclose(void*)
{
    return 0;
}
#endif

namespace {

constexpr int skipped = 77; // what ctest takes for it

// Whether MPI makes a window over all processes; Open MPI's component pt2pt makes none under
// MPI_THREAD_MULTIPLE.
bool makes_windows()
{
    static char memory[64];
    MPI_Win window = MPI_WIN_NULL;
    PMPI_Comm_set_errhandler(armci_test::harness, MPI_ERRORS_RETURN);
    const bool made =
        PMPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, armci_test::harness, &window) == MPI_SUCCESS;
    if (made)
        PMPI_Win_free(&window);
    return made;
}

// Whether the library would make windows, by the settings: between hosts over TCP its own messages take their
// place.
bool wants_windows(bool several_hosts)
{
    const auto has = [](const char* name) { return std::getenv(name) != nullptr; };
    if (has("ARMCI_FORCE_MPI"))
        return true;
    if (!several_hosts && !has("ARMCI_NODE_SIZE"))
        return false;
    const char* const transport = std::getenv("ARMCI_TRANSPORT");
    const bool by_messages = transport == nullptr ? several_hosts : std::string_view(transport) == "messages";
    return !by_messages || has("ARMCI_WINDOW") || has("ARMCI_EPOCHS") || has("ARMCI_ATOMICS_POLICY") ||
           has("ARMCI_PROGRESS_THREAD") || has("ARMCI_MUTEX_METHOD");
}

// The reason why this program cannot run here, or null.
const char* why_not()
{
    MPI_Comm node = MPI_COMM_NULL;
    PMPI_Comm_split_type(armci_test::harness, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int together = 0;
    PMPI_Comm_size(node, &together);
    PMPI_Comm_free(&node);
    if (armci_test::program_has_threads && wants_windows(together < armci_test::rank_count) &&
        !makes_windows())
        return "this MPI makes no windows under MPI_THREAD_MULTIPLE (docs/mpi-facts.md)";
    return nullptr;
}

} // namespace

int main(int argc, char** argv)
{
    using namespace armci_test;
    const int wanted = program_has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided = 0;
    PMPI_Init_thread(&argc, &argv, wanted, &provided);
    PMPI_Comm_dup(MPI_COMM_WORLD, &harness);
    PMPI_Comm_rank(harness, &my_rank);
    PMPI_Comm_size(harness, &rank_count);
    if (provided < wanted) {
        std::fprintf(stderr, "[rank %d] MPI gives thread level %d, this program needs %d\n", my_rank,
                     provided, wanted);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (const char* const reason = why_not()) {
        if (my_rank == 0)
            std::printf("skipped: %s\n", reason);
        PMPI_Finalize();
        return skipped;
    }
    run_seed = number_from_environment("TEST_SEED", std::random_device()());
    PMPI_Bcast(&run_seed, 1, MPI_UINT64_T, 0, harness);

    int status = run_tests(argc, argv);
#ifdef __SANITIZE_ADDRESS__
    if (const int leaks = __lsan_do_recoverable_leak_check(); leaks != 0 && status == 0)
        status = 1;
#endif
    PMPI_Comm_free(&harness);
    PMPI_Finalize();
    return status;
}
