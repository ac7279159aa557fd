/* What one process pays for the memory of the last one while the others wait in a barrier: latency of
 * blocking calls, with and without a fence, bandwidth of nonblocking streams, and the rate of small scattered
 * puts and gets.
 *
 *     network [--local] [--seconds S] [--only TEXT]
 *
 *     --local      buffers of the origin come from ARMCI_Malloc_local, not malloc
 *     --seconds S  time for each row (0.08)
 *     --only TEXT  rows whose name contains TEXT
 *
 * A row is: name, bytes, microseconds per operation (median of batches, and what a tenth of them undercut),
 * MB/s by the median. `against_peer` reads them. */
#include "rows.h"
#include "side.h"

/* For figures, where asked: "put+fence" is the line `fence` of the plot latency_put, "put" its `blocking`,
 * "put-stream" the only line of stream_put, "nbput-handles" the line `handles` of scattered_nbput. */
static void print_point(const struct row* row, double us)
{
    static const char* const ends[][2] = {{"+fence", "latency"},
                                          {"-stream", "stream"},
                                          {"-implicit", "scattered"},
                                          {"-handles", "scattered"},
                                          {"-aggregate", "scattered"}};
    static const char* const singles[] = {"put", "get", "acc", "scaled-acc"};
    const int length = (int)strlen(row->name);
    char series[64] = "";
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        const int end = (int)strlen(ends[i][0]);
        if (length > end && strcmp(row->name + length - end, ends[i][0]) == 0)
            snprintf(series, sizeof series, "%s_%.*s/%s", ends[i][1], length - end, row->name,
                     ends[i][0] + 1);
    }
    for (size_t i = 0; i < sizeof singles / sizeof *singles; ++i)
        if (strcmp(row->name, singles[i]) == 0)
            snprintf(series, sizeof series, "latency_%s/blocking", row->name);
    if (series[0] != '\0')
        print_row_if_asked(series, (double)row->bytes, us, "us");
}

static void print(const struct row* row, struct figure found)
{
    printf("%-18s %9zu %12.2f %12.2f %12.1f\n", row->name, row->bytes, found.us, found.low_us,
           (double)row->bytes / found.us);
    print_point(row, found.us);
}

int main(int argc, char** argv)
{
    const char* only = "";
    const struct job job = start_job(&argc, &argv);
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (!side.choose(argv[i]))
            fail("usage: network [--local] [--seconds S] [--only TEXT]");
    if (job.me == 0)
        printf("One process and the memory of the last, on %s, %d processes\n", side.library, job.processes);
    side.begin(job);
    if (job.me == 0) {
        printf("%-18s %9s %12s %12s %12s\n", "operation", "bytes", "us each", "low us", "MB/s");
        measure_rows(only, print);
    }
    side.end();
    MPI_Finalize();
    return 0;
}
