/* Checks from within what the cluster promises.

       hosts <hosts> <ranks per host> [<least round trip between hosts in ms>]
       hosts endless                      talks to all others until it is ended
       hosts status <number>              ends with that status */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_ranks = 256, name_size = 64 };

static int rank, size, errors;

static void expect(int holds, const char* what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    ++errors;
}

static void check_names(int hosts)
{
    static char names[most_ranks][name_size];
    char mine[name_size] = "";
    int distinct = 0;
    gethostname(mine, sizeof mine - 1);
    MPI_Allgather(mine, name_size, MPI_CHAR, names, name_size, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
        int is_new = 1;
        for (int j = 0; j < i; ++j)
            is_new = is_new && strcmp(names[i], names[j]) != 0;
        distinct += is_new;
    }
    expect(distinct == hosts, "wrong number of host names");
}

/* MPICH 5 takes each process for a node of its own (docs/mpi-facts.md). */
static int knows_nodes(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    return strstr(version, "MPICH") == NULL || strstr(version, " 5.") == NULL;
}

/* The ranks of one host share memory; nobody else does. */
static void check_shared_memory(int ranks)
{
    MPI_Comm node;
    MPI_Win window;
    int* mine = NULL;
    int node_size = 0;
    int node_rank = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &node_size);
    MPI_Comm_rank(node, &node_rank);
    if (node_size == 1 && !knows_nodes()) {
        if (rank == 0)
            puts("this MPICH does not know which processes share a host: not looked at");
        MPI_Comm_free(&node);
        return;
    }
    expect(node_size == ranks, "wrong number of ranks on my host");
    MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, node, &mine, &window);
    MPI_Win_lock_all(0, window);
    *mine = 1000 + rank;
    MPI_Win_sync(window);
    MPI_Barrier(node);
    MPI_Win_sync(window);
    for (int i = 0; i < node_size; ++i) {
        MPI_Aint bytes = 0;
        int unit = 0;
        int* theirs = NULL;
        MPI_Win_shared_query(window, i, &bytes, &unit, &theirs);
        expect(*theirs == 1000 + rank - node_rank + i, "wrong value in a neighbour's memory");
    }
    MPI_Barrier(node);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
}

/* The last rank is on another host than the first. */
static void check_round_trip(double least_ms)
{
    char byte = 0;
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(&byte, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&byte, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == size - 1) {
            MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
        const double ms = (MPI_Wtime() - start) * 1e3;
        if (ms < best)
            best = ms;
    }
    expect(rank != 0 || best >= least_ms, "messages come sooner than they may");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2 && strcmp(argv[1], "endless") == 0) {
        if (rank == 0)
            puts("running");
        fflush(stdout);
        for (;;) {
            int in = 1;
            int out = 0;
            MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
    } else if (argc == 3 && strcmp(argv[1], "status") == 0) {
        MPI_Finalize();
        return atoi(argv[2]);
    } else if (argc >= 3 && size <= most_ranks) {
        check_names(atoi(argv[1]));
        check_shared_memory(atoi(argv[2]));
        if (argc > 3)
            check_round_trip(atof(argv[3]));
    } else {
        expect(0, "wrong arguments");
    }
    int all = 0;
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        printf("right on %d ranks\n", size);
    MPI_Finalize();
    return all != 0;
}
