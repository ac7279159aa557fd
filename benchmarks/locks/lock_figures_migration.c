/* Fig. 11: a process at the mutex of its neighbour; after some turns, one of a process of another node. They
 * wait for each other by messages, so that nobody finds the mutex taken, and what is timed is the way to it
 * and where it was last. The owner is in a barrier, where MPI works for others. */
#include "lock_figures.h"

#define NEAR_TURNS 1000

enum { go, stop };

struct players {
    int owner;
    int near; /* on the owner's node */
    int far;  /* not there */
};

static void tell(int process, int what)
{
    MPI_Send(NULL, 0, MPI_INT, process, what, MPI_COMM_WORLD);
}

static int hear(int process)
{
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, process, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    return status.MPI_TAG;
}

/* Microseconds per turn: `near_turns` of mine, then one of the other's where that comes. */
static double play_near(struct players p, int far_comes, long near_turns)
{
    struct turns turns = {p.owner, NULL, 0};
    const double begin = seconds();
    double took = 0;
    long done = 0;
    for (int rounds = 0; done < NEAR_TURNS && (rounds < 5 || seconds() - begin < ROW_SECONDS); ++rounds) {
        const double time = time_of(lock_and_unlock, &turns, near_turns);
        if (rounds > 0) { /* the first opens connections */
            took += time;
            done += near_turns;
        }
        if (far_comes) {
            tell(p.far, go);
            hear(p.far);
        }
    }
    tell(p.far, stop);
    return 1e6 * took / (double)done;
}

static double play_far(struct players p)
{
    struct turns turns = {p.owner, NULL, 0};
    double took = 0;
    long done = -1;
    while (hear(p.near) == go) {
        const double time = time_of(lock_and_unlock, &turns, 1);
        if (done >= 0)
            took += time;
        ++done;
        tell(p.near, go);
    }
    return done > 0 ? 1e6 * took / (double)done : NOT_POSSIBLE;
}

/* `share`: of a hundred near turns, how many are followed by a far one. */
static void report(const struct setup* s, struct players p, int share)
{
    const int me = s->job.me;
    double near_us = 0, far_us = 0;
    ARMCI_Barrier();
    if (me == p.near)
        near_us = play_near(p, share > 0, share > 0 ? 100 / share : 100);
    else if (me == p.far)
        far_us = play_far(p);
    ARMCI_Barrier();
    MPI_Bcast(&near_us, 1, MPI_DOUBLE, p.near, MPI_COMM_WORLD);
    MPI_Bcast(&far_us, 1, MPI_DOUBLE, p.far, MPI_COMM_WORLD);
    row(s, "on_the_node/turn", share, near_us);
    if (share > 0) /* else the other node never came */
        row(s, "between_nodes/turn", share, far_us);
}

void migration(const struct setup* s)
{
    static const int shares[] = {0, 1, 5, 10, 20, 50, 100};
    const struct players p = {0, process_at(s, s->node_of[0], 1), process_at(s, 1, 0)};
    if (p.near < 0 || p.far < 0)
        return;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i)
        report(s, p, shares[i]);
    check_exclusion(s, s->job.me == p.near || s->job.me == p.far, p.owner);
}
