// Read-modify-writes and accumulates by all ranks at once on the same words, from the owner's node and from
// others; in the end every sum is exact. Barriers now and then, of either sort, give targets back to the CPUs
// of their nodes (gmr/network/modes).
//
//     torture_atomics [seconds]      2 by default; LITMUS_SEED repeats the choices of a run
//
// Words of a read-modify-write are not accumulated to: the interface promises no atomicity between the two.
#include "tests/sync/delay.hpp"

#include <armci.h>
#include <message.h>
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int words = 24; // of each type, so few that ranks meet, so many that locks and cache lines differ

// So many that adds by a CPU and by MPI meet in them, where nothing keeps them apart.
constexpr int many = 16 * 1024;

// The words of one rank, as global memory and as the sums that one rank has added to them.
struct Words {
    long rmw_long[words], acc_long[words];
    double acc_double[words], acc_many[many];
    int rmw_int[words], acc_int[words];
};

struct Counts {
    long rmw, accumulates, barriers;
};

using Random = std::mt19937_64;

int rank, size;

int below(Random& random, int limit)
{
    return static_cast<int>(random() % static_cast<unsigned>(limit));
}

// As one contiguous, strided or vector accumulate, blocking or not, of small whole numbers.
template <class T>
void accumulate(Random& random, int type, T (&there)[words], T (&sums)[words], int target)
{
    T terms[words], scale = static_cast<T>(1 + below(random, 3));
    for (T& term : terms)
        term = static_cast<T>(below(random, 9) - 3);
    const int form = below(random, 4), first = below(random, words);
    int count = 1 + below(random, words - first), step = 1;
    if (form == 1) { // every other one
        step = 2;
        count = (count + 1) / 2;
    }
    for (int i = 0; i < count; ++i)
        sums[first + i * step] += scale * terms[i];
    int near[] = {sizeof(T)}, far[] = {2 * sizeof(T)}, shape[] = {sizeof(T), count};
    void *sources[words], *targets[words];
    for (int i = 0; i < count; ++i) {
        sources[i] = &terms[i];
        targets[i] = &there[first + i];
    }
    armci_giov_t segments{sources, targets, sizeof(T), count};
    switch (form) {
    case 1:
        ARMCI_AccS(type, &scale, terms, near, &there[first], far, shape, 1, target);
        break;
    case 2:
        ARMCI_AccV(type, &scale, &segments, 1, target);
        break;
    case 3:
        ARMCI_NbAcc(type, &scale, terms, &there[first], count * static_cast<int>(sizeof(T)), target, nullptr);
        ARMCI_WaitProc(target);
        break;
    default:
        ARMCI_Acc(type, &scale, terms, &there[first], count * static_cast<int>(sizeof(T)), target);
    }
}

// All of them from the node of the target, a part from others: a CPU is faster and passes MPI within it.
void accumulate_many(Random& random, double (&there)[many], double (&sums)[many], int target)
{
    static std::vector<double> terms(many);
    const bool near = ARMCI_Same_node(target) != 0;
    const int count = near ? many : many / 8, first = near ? 0 : below(random, many - count);
    const double term = 1 + below(random, 3);
    double one = 1;
    for (int i = 0; i < count; ++i) {
        terms[static_cast<std::size_t>(i)] = term;
        sums[first + i] += term;
    }
    ARMCI_Acc(ARMCI_ACC_DBL, &one, terms.data(), &there[first], count * static_cast<int>(sizeof(double)),
              target);
}

void hammer(Random& random, const std::vector<void*>& bases, std::vector<Words>& sums, Counts& counts)
{
    const int target = below(random, size), word = below(random, words), value = below(random, 9) - 3;
    Words& there = *static_cast<Words*>(bases[static_cast<std::size_t>(target)]);
    Words& added = sums[static_cast<std::size_t>(target)];
    int old_int = 0;
    long old_long = 0;
    const int what = below(random, 6);
    switch (what) {
    case 0:
    case 1:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old_int, &there.rmw_int[word], value, target);
        added.rmw_int[word] += value;
        break;
    case 2:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old_long, &there.rmw_long[word], value, target);
        added.rmw_long[word] += value;
        break;
    case 3:
        accumulate(random, ARMCI_ACC_INT, there.acc_int, added.acc_int, target);
        break;
    case 4:
        accumulate(random, ARMCI_ACC_LNG, there.acc_long, added.acc_long, target);
        break;
    default:
        accumulate(random, ARMCI_ACC_DBL, there.acc_double, added.acc_double, target);
    }
    ++(what < 3 ? counts.rmw : counts.accumulates);
}

// A barrier: with a fence, after one, or without.
void meet(Random& together)
{
    switch (below(together, 3)) {
    case 0:
        ARMCI_Barrier();
        break;
    case 1:
        ARMCI_AllFence();
        [[fallthrough]];
    default:
        armci_msg_barrier();
    }
}

// Adds up what all ranks have added to the words of each rank and compares mine by loads.
template <class T, int N>
long wrong_sums(const char* name, MPI_Datatype type, const T (&mine)[N], T (Words::*member)[N],
                const std::vector<Words>& sums)
{
    long wrong = 0;
    for (int owner = 0; owner < size; ++owner) {
        std::vector<T> all(N);
        MPI_Allreduce(sums[static_cast<std::size_t>(owner)].*member, all.data(), N, type, MPI_SUM,
                      MPI_COMM_WORLD);
        for (int i = 0; owner == rank && i < N; ++i) {
            const T wanted = all[static_cast<std::size_t>(i)];
            if (wanted == mine[i])
                continue;
            if (++wrong <= words)
                std::printf("[rank %d] %s, word %d: %.0f, not %.0f\n", rank, name, i,
                            static_cast<double>(mine[i]), static_cast<double>(wanted));
        }
    }
    return wrong;
}

void print_progress(const char* when, double seconds, const Counts& counts)
{
    std::printf("torture_atomics: %s %.0f s, %ld RMW, %ld accumulates, %ld barriers\n", when, seconds,
                counts.rmw, counts.accumulates, counts.barriers);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
    const char* const given = std::getenv("LITMUS_SEED");
    std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    Random random(seed * 1000 + static_cast<std::uint64_t>(rank));
    if (rank == 0)
        std::printf("torture_atomics: %d ranks, %.0f s, LITMUS_SEED=%llu\n", size, seconds,
                    static_cast<unsigned long long>(seed));

    std::vector<void*> bases(static_cast<std::size_t>(size));
    ARMCI_Malloc(bases.data(), sizeof(Words));
    auto& mine = *static_cast<Words*>(bases[static_cast<std::size_t>(rank)]);
    mine = {};
    ARMCI_Barrier();

    std::vector<Words> sums(static_cast<std::size_t>(size), Words{});
    Counts counts{};
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Random together(seed);
    int end = 0;
    for (double next = 5, now = 0; end == 0; now = elapsed()) {
        const bool together_on_one = below(together, 2) == 0;
        const int one = below(together, size);
        for (int i = 1 << below(together, 8); i > 0 && !together_on_one; --i) {
            hammer(random, bases, sums, counts);
            armci_test::random_delay(random);
        }
        // CPUs are done sooner; and the target is where MPI adds, if it has nothing else to do.
        const int most = (1 << below(together, ARMCI_Same_node(one) ? 10 : 5)) * (rank == one ? 0 : 1);
        for (int i = 0; i < most && together_on_one; ++i, ++counts.accumulates)
            accumulate_many(random, static_cast<Words*>(bases[static_cast<std::size_t>(one)])->acc_many,
                            sums[static_cast<std::size_t>(one)].acc_many, one);
        meet(together);
        ++counts.barriers;
        end = now >= seconds ? 1 : 0;
        MPI_Bcast(&end, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0 && now >= next) {
            print_progress("rank 0 after", now, counts);
            next += 5;
        }
    }
    ARMCI_Barrier();

    long wrong = wrong_sums("int, RMW", MPI_INT, mine.rmw_int, &Words::rmw_int, sums) +
                 wrong_sums("long, RMW", MPI_LONG, mine.rmw_long, &Words::rmw_long, sums) +
                 wrong_sums("int, accumulate", MPI_INT, mine.acc_int, &Words::acc_int, sums) +
                 wrong_sums("long, accumulate", MPI_LONG, mine.acc_long, &Words::acc_long, sums) +
                 wrong_sums("double, accumulate", MPI_DOUBLE, mine.acc_double, &Words::acc_double, sums) +
                 wrong_sums("many doubles", MPI_DOUBLE, mine.acc_many, &Words::acc_many, sums);
    Counts all{0, 0, counts.barriers};
    MPI_Allreduce(&counts.rmw, &all.rmw, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&counts.accumulates, &all.accumulates, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        print_progress("all ranks in", elapsed(), all);
        std::printf("torture_atomics: %s\n", wrong == 0 ? "all sums exact" : "WRONG SUMS");
    }
    ARMCI_Free(&mine);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
