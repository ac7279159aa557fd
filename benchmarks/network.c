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
#include "network.h"

static double one_batch(void* row)
{
    return network.batch(*(const int*)row);
}

static void report(const char* only)
{
    printf("%-18s %9s %12s %12s %12s\n", "operation", "bytes", "us each", "low us", "MB/s");
    for (int i = 0; i < network.count(); ++i) {
        const struct row row = network.row(i);
        if (strstr(row.name, only) == NULL)
            continue;
        network.prepare(i);
        const struct figure found = measure_batches(one_batch, &i);
        network.verify(i);
        printf("%-18s %9zu %12.2f %12.2f %12.1f\n", row.name, row.bytes, found.us, found.low_us,
               (double)row.bytes / found.us);
    }
}

int main(int argc, char** argv)
{
    const struct job job = start_job(&argc, &argv);
    const struct network_options options = read_options(argc, argv);
    if (job.me == 0)
        printf("One process and the memory of the last, on %s, %d processes\n", network.library,
               job.processes);
    network.begin(job, options.local);
    if (job.me == 0)
        report(options.only);
    network.end();
    MPI_Finalize();
    return 0;
}
