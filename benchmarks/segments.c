/* Strided and vector put, get and accumulate of doubles: the grid of paper 001's Fig. 4, segments of 16 B and
 * 1 KiB, 1 to 1,024 of them, as far apart again as they are long. Process 0 works on the memory of the last
 * one while the others wait in a barrier. Gets are complete when they return; puts and accumulates are fenced
 * each time. ARMCI_STRIDED_METHOD and ARMCI_IOV_METHOD choose the methods. Rows are MB/s by number of
 * segments.
 *
 *     segments [strided | vector] [--seconds S]
 *
 *     strided, vector  these calls alone
 *     --seconds S      time for each point (0.08) */
#include "rows.h"
#include "side.h"

static void print(const struct row* row, struct figure found)
{
    char series[64];
    snprintf(series, sizeof series, "%s/bandwidth", row->name);
    print_row(series, (double)row->x, (double)row->bytes / found.us, "MB/s");
}

int main(int argc, char** argv)
{
    const struct job job = start_job(&argc, &argv);
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else if (!side.choose(argv[i]))
            fail("usage: segments [strided | vector] [--seconds S]");
    if (job.me == 0)
        printf("Strided and vector transfers, on %s, %d processes\n", side.library, job.processes);
    side.begin(job);
    if (job.me == 0)
        measure_rows("", print);
    side.end();
    MPI_Finalize();
    return 0;
}
