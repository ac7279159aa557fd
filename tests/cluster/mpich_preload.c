/* Preloaded into MPICH's processes on the cluster, between MPICH (ch4:ucx) and UCX.

   MPI_Finalize of MPICH 4.0 ends over TCP. Since UCX 1.12 closing a TCP endpoint waits for an answer of the
   peer. A process whose own endpoints are closed waits in PMI's barrier, where it makes no progress and
   answers nobody, so a process that comes to MPI_Finalize a little later waits for ever. MPI leaves nothing
   unsent but perhaps a last small message, so a bounded wait for the answers is enough, and the endpoints may
   go with their worker. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

extern void* ucp_worker_flush_nb(void* worker, unsigned flags, void (*done)(void*, int));
extern int ucp_request_is_completed(void* request);
extern unsigned ucp_worker_progress(void* worker);

static void* worker;

int ucp_worker_create(void* context, const void* parameters, void** result)
{
    int (*create)(void*, const void*, void**) =
        (int (*)(void*, const void*, void**))dlsym(RTLD_NEXT, "ucp_worker_create");
    const int status = create(context, parameters, result);
    if (status == 0)
        worker = *result;
    return status;
}

static void ignore(void* request, int status)
{
    (void)request;
    (void)status;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void* ucp_disconnect_nb(void* endpoint)
{
    (void)endpoint;
    if (worker != NULL) {
        void* request = ucp_worker_flush_nb(worker, 0, ignore);
        const int pending = request != NULL && (uintptr_t)request < (uintptr_t)-100;
        const double end = seconds() + 0.3;
        while (pending && !ucp_request_is_completed(request) && seconds() < end)
            ucp_worker_progress(worker);
        worker = NULL;
    }
    return NULL; /* closed already */
}
