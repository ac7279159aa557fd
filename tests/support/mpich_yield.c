/* Preloaded into MPICH's processes, between MPICH (ch4:ucx) and UCX: waiting yields, as Open MPI's does.
   MPICH spins, so where there are more processes than cores each step of a collective call would cost time
   slices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

enum { idle_polls_before_yield = 20 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker)
{
    static unsigned (*progress)(void*);
    static _Thread_local unsigned idle;
    if (progress == NULL)
        progress = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = progress(worker);
    idle = events == 0 ? idle + 1 : 0;
    if (idle >= idle_polls_before_yield)
        sched_yield();
    return events;
}
