/* Preloaded into MPICH's processes, between MPICH (ch4:ucx) and UCX: waiting yields, as Open MPI's does, and
   then naps. MPICH spins, so where there are more processes than cores each step of a collective call would
   cost time slices. A yield alone does not help where each process has a session of its own
   (docs/mpi-facts.md). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

enum { idle_polls_before_yield = 20, idle_polls_before_nap = 40, first_nap = 10000, longest_nap = 200000 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker)
{
    static unsigned (*progress)(void*);
    static _Thread_local unsigned idle;
    static _Thread_local long nap = first_nap; /* nanoseconds */
    if (progress == NULL)
        progress = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = progress(worker);
    if (events != 0) {
        idle = 0;
        nap = first_nap;
        return events;
    }
    if (++idle >= idle_polls_before_nap) {
        const struct timespec time = {0, nap};
        nanosleep(&time, NULL);
        nap = 2 * nap < longest_nap ? 2 * nap : longest_nap;
    } else if (idle >= idle_polls_before_yield) {
        sched_yield();
    }
    return events;
}
