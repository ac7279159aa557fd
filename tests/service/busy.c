/* Each process in turn computes without a call until it has seen, by loads from its own memory, what all
 * others did to it: puts, accumulates, read-modify-writes, turns of its mutex. The others see their
 * operations complete meanwhile, and read back what they wrote. With no thread that answers, nobody would
 * ever be done.
 *
 *     busy [plain|funneled|serialized|multiple|inside] [rounds]
 *
 *     plain to multiple  what MPI is started with: MPI_Init, or MPI_Init_thread with that level
 *     inside             as plain; and each of the others keeps MPI busy with messages of its own meanwhile
 *
 * BUSY_LIMIT: seconds after which a process that was not asked says so and ends the job (60). */
#include <armci.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 512, ADDS = 20 };

struct page {
    volatile long put[WORDS];
    volatile double sum[WORDS];
    volatile long counter;
    volatile long locked;
    volatile int done;
};

static int me, processes, was_skipped;
static const int skipped = 77;
static struct page** pages;

static void fail(const char* what, int process)
{
    char text[200];
    snprintf(text, sizeof text, "busy: process %d: %s (process %d)", me, what, process);
    ARMCI_Error(text, 1); /* which lets launchers read it */
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int has_all(int round)
{
    const struct page* const mine = pages[me];
    return mine->done == (processes - 1) * (round + 1);
}

/* Reads its own memory, and computes. */
static void compute(int round)
{
    const char* const text = getenv("BUSY_LIMIT");
    const double limit = seconds() + (text != NULL ? atof(text) : 60);
    volatile double x = 1;
    while (!has_all(round)) {
        for (int i = 0; i < 10000; ++i)
            x = x * 0.999999 + 1e-6;
        if (seconds() > limit)
            fail("nothing arrived while computing", me);
    }
}

static void ask(int target, int round)
{
    struct page* const there = pages[target];
    long values[WORDS], back[WORDS], old;
    double ones[WORDS], scale = 2;
    int one = 1, ignored;
    for (int i = 0; i < WORDS; ++i) {
        values[i] = 1000L * round + me + i;
        ones[i] = 1;
    }
    const int share = WORDS / processes;
    ARMCI_Put(values, (void*)(there->put + me * share), share * (int)sizeof *values, target);
    ARMCI_Fence(target);
    ARMCI_Get((void*)(there->put + me * share), back, share * (int)sizeof *back, target);
    if (memcmp(values, back, (size_t)share * sizeof *back) != 0)
        fail("a get after put and fence has other data", target);
    for (int i = 0; i < ADDS; ++i) {
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones, (void*)there->sum, sizeof ones, target);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, (void*)&there->counter, 1, target);
    }
    ARMCI_Lock(0, target);
    ARMCI_Get((void*)&there->locked, &old, sizeof old, target);
    ++old;
    ARMCI_Put(&old, (void*)&there->locked, sizeof old, target);
    ARMCI_Fence(target);
    ARMCI_Unlock(0, target);
    ARMCI_Fence(target);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &ignored, (void*)&there->done, one, target);
}

static void check(int round)
{
    const struct page* const mine = pages[me];
    const long others = (long)(processes - 1) * (round + 1);
    if (mine->counter != others * ADDS)
        fail("the counter is wrong", me);
    if (mine->locked != others)
        fail("the word behind the mutex is wrong", me);
    for (int i = 0; i < WORDS; ++i)
        if (mine->sum[i] != 2.0 * (double)others * ADDS)
            fail("a sum is wrong", me);
}

/* Messages among those that ask, so that MPI works for both. */
static void talk(int target)
{
    const int neighbours = processes - 1;
    const int place = me < target ? me : me - 1;
    int to = (place + 1) % neighbours, from = (place + neighbours - 1) % neighbours;
    to += to >= target;
    from += from >= target;
    static char out[70000], in[70000];
    for (int i = 0; i < 20; ++i)
        MPI_Sendrecv(out, sizeof out, MPI_CHAR, to, 7, in, sizeof in, MPI_CHAR, from, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* A UCX with assertions refuses the service thread under Open MPI (docs/mpi-facts.md), and a warning says so.
 */
static int is_refused_by_ucx(void)
{
    const char* const pml = getenv("OMPI_MCA_pml");
    if (pml == NULL || strcmp(pml, "ucx") != 0)
        return 0;
    return system("grep -qx armci-service /proc/$PPID/task/*/comm") != 0;
}

/* What programs in other languages call between their own MPI_Init and MPI_Finalize. */
void busy_run(int rounds, int inside)
{
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    pages = malloc((size_t)processes * sizeof *pages);
    ARMCI_Malloc((void**)pages, sizeof **pages);
    memset((void*)pages[me], 0, sizeof **pages);
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    if (is_refused_by_ucx()) {
        if (me == 0)
            printf("skipped: UCX refuses calls of a second thread\n");
        rounds = 0;
        was_skipped = 1;
    }
    for (int round = 0; round < rounds; ++round)
        for (int target = 0; target < processes; ++target) {
            if (me == target) {
                compute(round);
            } else {
                if (inside)
                    talk(target);
                ask(target, round);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            if (me == target)
                check(round);
        }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(pages[me]);
    free(pages);
    ARMCI_Finalize();
}

#ifndef BUSY_NO_MAIN
int main(int argc, char** argv)
{
    const char* const way = argc > 1 ? argv[1] : "plain";
    const int rounds = argc > 2 ? atoi(argv[2]) : 3;
    static const char* const levels[] = {"single", "funneled", "serialized", "multiple"};
    static const int values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    int granted = -1, rank;
    for (int i = 0; i < 4; ++i)
        if (strcmp(way, levels[i]) == 0) {
            MPI_Init_thread(&argc, &argv, values[i], &granted);
            if (granted < values[i])
                return 1;
        }
    if (granted < 0)
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* On one host operations take windows, and Open MPI 4's pt2pt makes none then (docs/mpi-facts.md). */
    if (strcmp(way, "multiple") == 0 && getenv("ARMCI_NODE_SIZE") != NULL) {
        MPI_Win window;
        static char memory[64];
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window) != MPI_SUCCESS) {
            if (rank == 0)
                printf("skipped: this MPI makes no windows under MPI_THREAD_MULTIPLE (docs/mpi-facts.md)\n");
            MPI_Finalize();
            return skipped;
        }
        MPI_Win_free(&window);
    }
    busy_run(rounds, strcmp(way, "inside") == 0);
    if (rank == 0 && !was_skipped)
        printf("answered while computing\n");
    MPI_Finalize();
    return was_skipped ? skipped : 0;
}
#endif
