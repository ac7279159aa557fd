/* A C99 program as a user writes it: each process puts its number into its right neighbour's memory. */

#include <armci.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int me, processes, right, left, value = -1;
    void** base;

    MPI_Init(&argc, &argv);
    if (ARMCI_Init() != 0)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    right = (me + 1) % processes;
    left = (me + processes - 1) % processes;

    base = malloc((size_t)processes * sizeof *base);
    if (base == NULL || ARMCI_Malloc(base, sizeof(int)) != 0)
        return 1;
    ARMCI_Put(&me, base[right], (int)sizeof me, right);
    ARMCI_Barrier();
    ARMCI_Get(base[me], &value, (int)sizeof value, me);
    if (value != left) {
        fprintf(stderr, "process %d: got %d from its left neighbour, which is %d\n", me, value, left);
        ARMCI_Error("wrong value", 1);
    }
    ARMCI_Barrier();
    ARMCI_Free(base[me]);
    free(base);
    if (me == 0)
        printf("C: right on %d processes\n", processes);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
