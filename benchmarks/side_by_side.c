/* The rows of `network` on this library and on the peer, both in each process of one job: they share the MPI
 * library, its connections and its buffers, and take turns batch by batch, so whatever makes a job or a
 * moment fast or slow does so for both.
 *
 *     side_by_side [--local] [--seconds S] [--only TEXT]
 *
 *     --local      buffers of the origin come from ARMCI_Malloc_local, not malloc
 *     --seconds S  time for each row (0.08)
 *     --only TEXT  rows whose name contains TEXT
 *
 * A row is: name, bytes, microseconds per operation of this library and of the peer (medians), and the median
 * of the ratios peer / ours of neighbouring batches. `against_peer --together` reads them.
 *
 * The peer is linked with this program; this library is in a module of its own. */
#include "network.h"
#include "rows.h"

#include <dlfcn.h>

enum { OURS, PEER };

static const struct network* sides[2] = {NULL, &network};

static const struct network* load(void)
{
    /* Before MPI_Init: this library chooses parameters of Open MPI when it is loaded. */
    void* const module = dlopen(NETWORK_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        fprintf(stderr, "side_by_side: %s\n", dlerror());
        exit(1);
    }
    const struct network* const found = dlsym(module, "network");
    if (found == NULL) {
        fprintf(stderr, "side_by_side: no `network` in %s\n", NETWORK_MODULE);
        exit(1);
    }
    return found;
}

enum step { PREPARE, BATCH, VERIFY };

/* Collective: process 0 takes a step of a row while the others wait in that library's barrier. */
static double take(struct job job, int side, enum step step, int row)
{
    const struct network* const n = sides[side];
    double us = 0;
    if (job.me == 0) {
        if (step == PREPARE)
            n->prepare(row);
        else if (step == BATCH)
            us = n->batch(row);
        else
            n->verify(row);
    }
    n->barrier();
    return us;
}

static void step_both(struct job job, enum step step, int row)
{
    take(job, OURS, step, row);
    take(job, PEER, step, row);
}

/* Collective: the pairs of batches that the budget holds, an even number, so that each side goes first as
 * often as the other. */
static int count_pairs(struct job job, int row)
{
    step_both(job, BATCH, row); /* warm */
    const double begin = seconds();
    step_both(job, BATCH, row);
    const double fit = budget / (seconds() - begin);
    int pairs = fit < MOST_BATCHES ? (int)fit / 2 * 2 : MOST_BATCHES - 1;
    if (pairs < 4)
        pairs = 4;
    MPI_Bcast(&pairs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return pairs;
}

static void report(struct job job, int row)
{
    double us[2][MOST_BATCHES], ratios[MOST_BATCHES];
    step_both(job, PREPARE, row);
    const int pairs = count_pairs(job, row);
    for (int pair = 0; pair < pairs; ++pair) {
        const int first = pair % 2;
        us[first][pair] = take(job, first, BATCH, row);
        us[!first][pair] = take(job, !first, BATCH, row);
        ratios[pair] = us[PEER][pair] / us[OURS][pair];
    }
    step_both(job, VERIFY, row);
    if (job.me != 0)
        return;
    const struct row what = network.row(row);
    const double ours = median(us[OURS], pairs), peer = median(us[PEER], pairs),
                 ratio = median(ratios, pairs);
    printf("%-18s %9zu %12.2f %12.2f %7.3f\n", what.name, what.bytes, ours, peer, ratio);
    char series[48];
    snprintf(series, sizeof series, "%s/ours", what.name);
    print_row_if_asked(series, (double)what.bytes, ours, "us");
    snprintf(series, sizeof series, "%s/peer", what.name);
    print_row_if_asked(series, (double)what.bytes, peer, "us");
    snprintf(series, sizeof series, "ahead/%s", what.name);
    print_row_if_asked(series, (double)what.bytes, ratio, "x");
}

int main(int argc, char** argv)
{
    sides[OURS] = load();
    const struct job job = start_job(&argc, &argv);
    const struct network_options options = read_options(argc, argv);
    /* In this order, so that the peer is as it would be alone. */
    sides[PEER]->begin(job, options.local);
    sides[OURS]->begin(job, options.local);
    if (job.me == 0)
        printf("%-18s %9s %12s %12s %7s\n", "operation", "bytes", "ours us", "peer us", "ratio");
    for (int row = 0; row < network.count(); ++row)
        if (strstr(network.row(row).name, options.only) != NULL)
            report(job, row);
    sides[OURS]->end();
    sides[PEER]->end();
    MPI_Finalize();
    return 0;
}
