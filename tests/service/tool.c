/* A tool that stands in front of MPI: counts calls by the profiling interface, and prints them at the end. As
 * many tools that people wrote for themselves, it knows MPI_Init and not MPI_Init_thread. */
#include <mpi.h>

#include <stdio.h>

static long starts, put_calls, messages;

int MPI_Init(int* argc, char*** argv)
{
    ++starts;
    return PMPI_Init(argc, argv);
}

int MPI_Put(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
            MPI_Datatype as, MPI_Win window)
{
    ++put_calls;
    return PMPI_Put(from, count, type, target, place, there, as, window);
}

int MPI_Sendrecv(const void* out, int count, MPI_Datatype type, int to, int tag, void* in, int room,
                 MPI_Datatype as, int from, int with, MPI_Comm comm, MPI_Status* status)
{
    ++messages;
    return PMPI_Sendrecv(out, count, type, to, tag, in, room, as, from, with, comm, status);
}

int MPI_Finalize(void)
{
    int me;
    PMPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0)
        printf("tool: %s the start, %s puts, %s messages\n", starts == 1 ? "saw" : "missed",
               put_calls > 0 ? "saw" : "missed", messages > 0 ? "saw" : "missed");
    return PMPI_Finalize();
}
