/* The rows of `network` on this library and on the peer, both in each process of one job: they share the MPI
 * library, its connections and its buffers, and take turns batch by batch, so whatever makes a job or a
 * moment fast or slow does so for both. This library may be there several times, with a setting each.
 *
 *     network_together [--with NAME=VALUE]... [strided | vector] [--seconds S]
 *
 *     --with NAME=VALUE  this library once more, with this setting; may be repeated
 *     --seconds S        time for each row, of all together (0.08)
 *
 * Rows are microseconds of each (medians); and for all but this library as it is, the median of the ratios to
 * it of neighbouring batches: above 1, this library is ahead.
 *
 * The peer is linked with this program; this library is in a module, of which each setting loads a copy. */
#include "calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SIDES = 8 };

struct contestant {
    const struct side* side;
    char setting[64]; /* "" or its name */
    const char* value;
    const char* name;
};

static struct contestant contestants[MOST_SIDES]; /* this library first, the peer last */
static int contestant_count;

static void give_up(const char* what, const char* which)
{
    fprintf(stderr, "side_by_side: %s: %s\n", what, which);
    exit(1);
}

/* A copy of the module that shares nothing with others, which one file loaded twice would. */
static const struct side* load(void)
{
    char path[64];
    struct stat is;
    const int from = open(SIDE_MODULE, O_RDONLY), to = memfd_create("side", 0);
    if (from < 0 || to < 0 || fstat(from, &is) != 0)
        give_up("cannot read", SIDE_MODULE);
    for (off_t copied = 0; copied < is.st_size;)
        if (sendfile(to, from, &copied, (size_t)(is.st_size - copied)) <= 0)
            give_up("cannot copy", SIDE_MODULE);
    snprintf(path, sizeof path, "/proc/self/fd/%d", to);
    /* Before MPI_Init: this library chooses parameters of Open MPI when it is loaded. */
    void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        give_up("cannot load", dlerror());
    close(from); /* not `to`: its number would name the next copy, which is then taken for this one */
    const struct side* const found = dlsym(module, "side");
    if (found == NULL)
        give_up("no `side` in", SIDE_MODULE);
    return found;
}

static void add(const struct side* of, const char* name, const char* setting)
{
    if (contestant_count == MOST_SIDES)
        give_up("too many", setting);
    struct contestant* const new = &contestants[contestant_count++];
    const char* const sign = strchr(setting, '=');
    new->side = of;
    new->name = name;
    if (sign == NULL)
        return;
    snprintf(new->setting, sizeof new->setting, "%.*s", (int)(sign - setting), setting);
    new->name = new->value = sign + 1;
}

static void begin(struct job job, const struct contestant* of, enum list list)
{
    if (of->value != NULL)
        setenv(of->setting, of->value, 1);
    of->side->begin(job, list);
    if (of->value != NULL)
        unsetenv(of->setting);
}

/* Collective. Who begins early is up to 5 % ahead in large transfers, so who does is left to chance. */
static void begin_all(struct job job, enum list list)
{
    int first = (int)((long)(1e6 * seconds()) % contestant_count);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < contestant_count; ++i)
        begin(job, &contestants[(first + i) % contestant_count], list);
    if (job.me == 0)
        printf("%s began first\n", contestants[first].name);
}

enum step { PREPARE, BATCH, VERIFY };

/* Collective: process 0 takes a step of a row while the others wait in that library's barrier. */
static double take(struct job job, int which, enum step step, int row)
{
    const struct side* const s = contestants[which].side;
    double us = 0;
    if (job.me == 0) {
        if (step == PREPARE)
            s->prepare(row);
        else if (step == BATCH)
            us = s->batch(row);
        else
            s->verify(row);
    }
    s->barrier();
    return us;
}

static void all_take(struct job job, enum step step, int row)
{
    for (int i = 0; i < contestant_count; ++i)
        take(job, i, step, row);
}

/* The order of a turn, the same in all processes: at random, then that backwards. Each goes before another as
 * often as behind it, and nobody always follows the same one: thousands of small messages leave a connection
 * on which a large one takes longer. */
static void line_up(int* order, int turn)
{
    if (turn % 2 == 0) {
        shuffle(order, contestant_count);
        return;
    }
    for (int i = 0, k = contestant_count - 1; i < k; ++i, --k) {
        const int moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
}

/* Collective: the turns that the budget holds, an even number. */
static int count_turns(struct job job, int row)
{
    all_take(job, BATCH, row); /* warm */
    const double begin = seconds();
    all_take(job, BATCH, row);
    const double fit = budget / (seconds() - begin);
    const int least = 2 * contestant_count;
    int turns = (fit < MOST_BATCHES ? (int)fit : MOST_BATCHES) / 2 * 2;
    if (turns < least)
        turns = least;
    MPI_Bcast(&turns, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return turns;
}

static void report(struct job job, int row)
{
    static double us[MOST_SIDES][MOST_BATCHES], ratios[MOST_SIDES][MOST_BATCHES];
    int order[MOST_SIDES];
    for (int i = 0; i < contestant_count; ++i)
        order[i] = i;
    all_take(job, PREPARE, row);
    const int turns = count_turns(job, row);
    for (int turn = 0; turn < turns; ++turn) {
        line_up(order, turn);
        for (int i = 0; i < contestant_count; ++i)
            us[order[i]][turn] = take(job, order[i], BATCH, row);
        for (int i = 1; i < contestant_count; ++i)
            ratios[i][turn] = us[i][turn] / us[0][turn];
    }
    all_take(job, VERIFY, row);
    if (job.me != 0)
        return;
    const struct row* const what = side.row(row);
    for (int i = 0; i < contestant_count; ++i)
        print_rowf(what->x, median(us[i], turns), "us", "%s/%s", what->name, contestants[i].name);
    for (int i = 1; i < contestant_count; ++i)
        print_rowf(what->x, median(ratios[i], turns), "x", "ahead_of_%s/%s", contestants[i].name, what->name);
}

int main(int argc, char** argv)
{
    int list = TRANSFERS, others = 1;
    const struct option options[] = {
        {"strided", NULL, 0, 0, &list, STRIDED_CALLS}, {"vector", NULL, 0, 0, &list, VECTOR_CALLS}, {0}};
    add(load(), "ours", "");
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--with") == 0 && i + 1 < argc)
            add(load(), "", argv[++i]);
        else
            argv[others++] = argv[i];
    add(&side, "peer", "");
    const struct job job = start_job(others, argv, options);
    begin_all(job, (enum list)list);
    for (int row = 0; row < side.count(); ++row)
        report(job, row);
    for (int i = 0; i < contestant_count; ++i)
        contestants[i].side->end();
    MPI_Finalize();
    return 0;
}
