// Runs random programs, or one from a file, on all ranks, and compares with a serial oracle. See README.md.
//
//     oracle [--seed S] [--programs N] [--seconds T] [--threads K] [--delays N] [--hold PERCENT]
//     [--outsiders]
//            [--bursts] [--peer] [--weight PERCENT]
//     oracle --replay FILE [--times N] [--delays N] [--hold PERCENT] [--peer]
//     oracle --spoil byte|hang [...]          breaks the first program on purpose: the oracle's own test
//     oracle --print --seed S --ranks N [...] the program of a seed; no MPI
//     oracle --legal FILE                     whether a program is legal; no MPI
//
// Status 1: a result differs. 3: nothing moved for TEST_WATCHDOG seconds (30).
#include "tests/oracle/delays.hpp"
#include "tests/oracle/executor.hpp"
#include "tests/oracle/generator.hpp"
#include "tests/oracle/held.hpp"
#include "tests/oracle/watchdog.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>

namespace oracle {
namespace {

struct Options {
    Limits limits;
    std::uint64_t seed = 0;
    bool has_seed = false, prints = false;
    long programs = 0, seconds = 0, times = 1;
    int delays = 0, hold = 0;
    Spoils spoils = Spoils::nothing;
    std::string replay, legal;
};

Options options_of(int argc, char** argv)
{
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const auto value = [&] {
            if (i + 1 == argc)
                throw std::runtime_error(name + " wants a value");
            return std::string(argv[++i]);
        };
        if (name == "--seed")
            o.seed = std::stoull(value()), o.has_seed = true;
        else if (name == "--programs")
            o.programs = std::stol(value());
        else if (name == "--seconds")
            o.seconds = std::stol(value());
        else if (name == "--times")
            o.times = std::stol(value());
        else if (name == "--threads")
            o.limits.threads = std::stoi(value());
        else if (name == "--ranks")
            o.limits.ranks = std::stoi(value());
        else if (name == "--delays")
            o.delays = std::stoi(value());
        else if (name == "--hold")
            o.hold = std::stoi(value());
        else if (name == "--weight")
            o.limits.weight = std::stoi(value());
        else if (name == "--bursts")
            o.limits.has_bursts_only = true;
        else if (name == "--peer")
            o.limits.is_for_peer = true;
        else if (name ==
                 "--outsiders") // processes reach regions of groups that they are no members of: on one node
            o.limits.has_outsiders = true;
        else if (name == "--spoil")
            o.spoils = value() == "hang" ? Spoils::hang : Spoils::byte;
        else if (name == "--print")
            o.prints = true;
        else if (name == "--replay")
            o.replay = value();
        else if (name == "--legal")
            o.legal = value();
        else
            throw std::runtime_error("what is " + name + "?");
    }
    return o;
}

Program from_file(const std::string& name)
{
    std::ifstream in(name);
    if (!in)
        throw std::runtime_error(name + " cannot be read");
    return read(in);
}

int say_whether_legal(const std::string& name)
{
    const Program program = from_file(name);
    Rules rules(program.ranks, program.threads);
    for (const Step& step : program.steps)
        if (const char* const why = rules.take(step)) {
            std::printf("not legal: %s: %s\n", why, text_of(step).c_str());
            return 1;
        }
    return 0;
}

class Job {
public:
    explicit Job(Options options) : options_(std::move(options))
    {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &options_.limits.ranks);
        if (!options_.has_seed)
            options_.seed = std::random_device()() % 1000000000u;
        MPI_Bcast(&options_.seed, 1, MPI_UINT64_T, 0, comm_);
    }
    ~Job() { MPI_Comm_free(&comm_); }

    int run()
    {
        const char* const patience = std::getenv("TEST_WATCHDOG");
        Watchdog watchdog(position_, patience == nullptr ? 30 : std::atoi(patience), rank_);
        const auto start = std::chrono::steady_clock::now();
        long programs = 0, operations = 0;
        bool is_wrong = false;
        Program program;
        for (int goes_on = 1; goes_on != 0 && !is_wrong;) {
            watchdog.watch(nullptr);
            program = options_.replay.empty()
                          ? generate(options_.seed + static_cast<std::uint64_t>(programs), options_.limits)
                          : from_file(options_.replay);
            watchdog.watch(&program);
            if (program.ranks != options_.limits.ranks)
                throw std::runtime_error("the program is for " + std::to_string(program.ranks) + " ranks");
            if (rank_ == 0 && options_.replay.empty()) {
                std::printf("seed %llu\n", static_cast<unsigned long long>(program.seed));
                std::fflush(stdout);
            }
            Executor executor(program, comm_, position_, options_.spoils, options_.limits.is_for_peer);
            is_wrong = !executor.run();
            operations += executor.operations();
            ++programs;
            const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
            const long wanted = options_.replay.empty() ? options_.programs : options_.times;
            goes_on = wanted > 0 ? programs < wanted : past.count() < static_cast<double>(options_.seconds);
            MPI_Bcast(&goes_on, 1, MPI_INT, 0, comm_);
        }
        watchdog.watch(nullptr);
        MPI_Allreduce(MPI_IN_PLACE, &operations, 1, MPI_LONG, MPI_SUM, comm_);
        if (rank_ == 0) {
            std::printf("oracle: %d ranks, %ld programs, %ld operations, %s\n", options_.limits.ranks,
                        programs, operations, is_wrong ? "WRONG" : "all right");
            std::fflush(stdout);
        }
        return is_wrong ? 1 : 0;
    }

private:
    Options options_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    Position position_;
};

int run_job(const Options& options, int argc, char** argv)
{
    const int wanted = options.limits.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    if (provided < wanted) {
        std::printf("skipped: MPI gives thread level %d\n", provided);
        MPI_Finalize();
        return 77;
    }
    if (ARMCI_Init_thread(wanted) != 0)
        return 2;
    start_delays(options.delays);
    held::start(options.hold);
    const int status = Job(options).run();
    end_delays();
    // A process that found something wrong has memory and groups left; it ends as it is.
    if (status != 0) {
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    ARMCI_Finalize();
    MPI_Finalize();
    return status;
}

} // namespace
} // namespace oracle

int main(int argc, char** argv)
{
    try {
        oracle::Options options = oracle::options_of(argc, argv);
        if (!options.legal.empty())
            return oracle::say_whether_legal(options.legal);
        if (options.prints) {
            oracle::write(std::cout, oracle::generate(options.seed, options.limits));
            return 0;
        }
        if (!options.replay.empty())
            options.limits.threads = oracle::from_file(options.replay).threads;
        return oracle::run_job(options, argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "oracle: %s\n", error.what());
        std::_Exit(2);
    }
}
