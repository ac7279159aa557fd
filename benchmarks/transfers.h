/* Ways to move the same bytes, compared in one run: a window of raw MPI as the bound of what an ARMCI on MPI
 * can reach, and batches that take turns. */
#ifndef ARMCI_BENCHMARKS_TRANSFERS_H_
#define ARMCI_BENCHMARKS_TRANSFERS_H_

#include "bounded.h"
#include "rows.h"

struct raw_window {
    MPI_Win win;
    char* base;
};

/* Collective, after ARMCI_Init, which on Open MPI stands for the components that make windows over TCP. One
 * epoch for life. */
static inline struct raw_window open_raw_window(struct job job, size_t bytes)
{
    struct raw_window window;
    const int next = (job.me + 1) % job.processes, before = (job.me + job.processes - 1) % job.processes;
    const long mine = job.me + 1;
    MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window.base, &window.win);
    memset(window.base, 0, bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(&mine, sizeof mine, MPI_BYTE, next, 0, sizeof mine, MPI_BYTE, window.win);
    MPI_Win_flush(next, window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window.win);
    if (*(volatile long*)window.base != before + 1)
        fail("MPI's window is not where MPI says it is");
    MPI_Barrier(MPI_COMM_WORLD);
    return window;
}

/* Collective. */
static inline void close_raw_window(struct raw_window* window)
{
    MPI_Win_unlock_all(window->win);
    MPI_Win_free(&window->win);
}

#define MOST_WAYS 8

struct way {
    timed_batch batch;
    void* context;
    double us; /* found: of one operation, the median */
};

/* A round has a batch of each; the first does not count. */
static inline void measure_in_turns(struct way* ways, int count)
{
    static double us[MOST_WAYS][MOST_BATCHES];
    int order[MOST_WAYS];
    for (int i = 0; i < count; ++i)
        order[i] = i;
    double begin = 0;
    int rounds = -1;
    for (; rounds < LEAST_BATCHES || (rounds < MOST_BATCHES && seconds() - begin < budget); ++rounds) {
        if (rounds == 0)
            begin = seconds();
        shuffle(order, count);
        for (int turn = 0; turn < count; ++turn) {
            const int i = order[turn];
            const double found = ways[i].batch(ways[i].context);
            if (rounds >= 0)
                us[i][rounds] = found;
        }
    }
    for (int i = 0; i < count; ++i)
        ways[i].us = median(us[i], rounds);
}

#endif
