/* Works without end, for tests that kill it: busy <kind of work> [<seconds>]
 *
 * Each process prints "working" when all have begun. Left alone, it ends after two minutes; or as it should,
 * and says "done", after the seconds of a second argument, which is for work that nobody else has to join. */
#include <armci.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { bytes = 1 << 18 };

static int me, processes;
static void** slices;
static double* local;

static void put(void)
{
    ARMCI_Put(local, slices[(me + 1) % processes], bytes, (me + 1) % processes);
}

/* All on the slice of process 0, so that the locks of the accumulate are fought for. */
static void accumulate(void)
{
    double scale = 1.0;
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, slices[0], bytes, 0);
}

/* To and from the process farthest in number, which is on another host where there are several. */
static void all_three(void)
{
    const int other = (me + processes / 2) % processes;
    double scale = 1.0;
    ARMCI_Put(local, slices[other], bytes / 2, other);
    ARMCI_Get(slices[other], local, bytes / 2, other);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, slices[other], 8000, other);
    ARMCI_Fence(other);
}

static void barrier(void)
{
    ARMCI_Barrier();
}

/* Process 0 computes, and the others wait for it with nothing on the way. */
static void idle_barrier(void)
{
    if (me == 0)
        sleep(1);
    else
        ARMCI_Barrier();
}

static void lock(void)
{
    ARMCI_Lock(0, 0);
    put();
    ARMCI_Unlock(0, 0);
}

/* Process 0 never unlocks: the others sleep in the wait. */
static void wait_for_lock(void)
{
    static int held;
    if (me == 0 && held) {
        usleep(1000);
        return;
    }
    ARMCI_Lock(1, 0);
    held = 1;
}

static void allocate(void)
{
    void* base[64];
    ARMCI_Malloc(base, 1 + rand() % 300000);
    memset(base[me], 1, 1);
    ARMCI_Free(base[me]);
}

static void notify(void)
{
    int number;
    armci_notify((me + 1) % processes);
    armci_notify_wait((me + processes - 1) % processes, &number);
}

static const struct {
    const char* name;
    void (*work)(void);
} kinds[] = {{"put", put},
             {"acc", accumulate},
             {"all_three", all_three},
             {"barrier", barrier},
             {"idle_barrier", idle_barrier},
             {"lock", lock},
             {"wait_for_lock", wait_for_lock},
             {"malloc", allocate},
             {"notify", notify}};

int main(int argc, char** argv)
{
    void (*work)(void) = NULL;
    for (size_t i = 0; argc >= 2 && i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(argv[1], kinds[i].name) == 0)
            work = kinds[i].work;
    if (work == NULL) {
        fprintf(stderr, "usage: busy put|acc|all_three|barrier|idle_barrier|lock|wait_for_lock|malloc|notify "
                        "[seconds]\n");
        return 2;
    }
    alarm(120);
    ARMCI_Init_args(&argc, &argv);
    me = armci_msg_me();
    processes = armci_msg_nproc();
    slices = malloc((size_t)processes * sizeof *slices);
    local = ARMCI_Malloc_local(bytes);
    memset(local, 0, bytes);
    ARMCI_Malloc(slices, bytes);
    ARMCI_Create_mutexes(2);
    if (work == wait_for_lock && me == 0)
        work();
    ARMCI_Barrier();
    printf("working\n");
    fflush(stdout);
    const time_t end = argc > 2 ? time(NULL) + atoi(argv[2]) : 0;
    while (end == 0 || time(NULL) < end)
        work();
    ARMCI_Finalize();
    printf("done\n");
    return 0;
}
