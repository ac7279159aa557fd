/* Global Arrays as packaged, linked with this library: every process adds one to each element of an array. */

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>

enum { side = 32 };

static double patch[side][side];

int main(int argc, char** argv)
{
    int array, i, j, lo[2] = {0, 0}, hi[2] = {side - 1, side - 1}, ld[1] = {side}, dims[2] = {side, side};
    double one = 1.0;

    MPI_Init(&argc, &argv);
    GA_Initialize();
    array = NGA_Create(C_DBL, 2, dims, (char*)"ones", NULL);
    GA_Zero(array);
    for (i = 0; i < side; ++i)
        for (j = 0; j < side; ++j)
            patch[i][j] = 1.0;
    NGA_Acc(array, lo, hi, patch, ld, &one);
    GA_Sync();
    NGA_Get(array, lo, hi, patch, ld);
    for (i = 0; i < side; ++i)
        for (j = 0; j < side; ++j)
            if (patch[i][j] != GA_Nnodes())
                GA_Error((char*)"wrong element", i * side + j);
    GA_Sync();
    GA_Destroy(array);
    if (GA_Nodeid() == 0)
        printf("Global Arrays: right on %d processes\n", GA_Nnodes());
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
