/* What the figures of `lock_figures` share: who lives where, one mutex and one slice of memory for each
 * process, turns at a mutex, and rows. Figs 6 to 12 are those of paper "Natively Supporting True One-sided
 * Communication in MPI on Multi-core Systems", section 5; Fig. 5 is that of paper 000. */
#ifndef ARMCI_BENCHMARKS_LOCK_FIGURES_H_
#define ARMCI_BENCHMARKS_LOCK_FIGURES_H_

#include "measure/job.h"

#define ROW_SECONDS 0.1
#define MESSAGE_BYTES 1024

struct slice {
    long sum;  /* of turns that check exclusion */
    long next; /* task of the queue that lives here */
    long tag;  /* of the message that came last */
    unsigned char message[MESSAGE_BYTES];
};

/* Nodes are MPI's: another ARMCI need not know any. */
struct setup {
    struct job job;
    long turns; /* of each process in a row, where they are counted */
    int nodes;
    int* node_of;  /* by process */
    int* place_of; /* by process: how many of its node come before it */
    struct slice** slices;
};

/* -1: there is none. */
int process_at(const struct setup* s, int node, int place);

struct turns {
    int owner;
    long* sum;     /* on the owner; NULL: nothing to do under the lock */
    long pause_ns; /* asleep between reading it and writing it */
};

void lock_and_unlock(void* turns, long repeats);

/* Collective, the others wait in a barrier. Seconds that the slowest took. */
double slowest(int takes_part, work what, void* context, long repeats);

/* Microseconds per repeat in ROW_SECONDS. By time, not by a number: fast processes would be through their
 * turns before the others have begun. The first repeats, which open connections, are not counted. */
double us_each(work what, void* context);

/* Collective: that of the slowest, as all who take part work at once. */
double us_of_slowest(int takes_part, work what, void* context);

/* Collective, same `owner` everywhere: ends the job when its mutex lets two in at once. Off the clock, as the
 * sum costs more than most locks. */
void check_exclusion(const struct setup* s, int takes_part, int owner);

/* Of turns at its mutex. */
long sum_at(const struct setup* s, int owner);

/* Keeps away from MPI, as a program that computes; who has nothing to compute gives its core to who has. */
void compute(double us);

/* What a computing program has to do now and then, as no MPI works for others on TCP without. True: there is
 * a message of the program itself. */
int look(void);

#define NOT_POSSIBLE (-1.0)

/* Prints a point, where it is possible. */
void row(const struct setup* s, const char* series, double x, double us);

void counted_turns(const struct setup* s);           /* Fig. 5 */
void on_the_node(const struct setup* s);             /* Fig. 6 */
void owner_computing(const struct setup* s);         /* Fig. 7 */
void ring_of_locks(const struct setup* s);           /* Fig. 8 */
void contention(const struct setup* s);              /* Fig. 9 */
void message_round_computing(const struct setup* s); /* Fig. 10 */
void migration(const struct setup* s);               /* Fig. 11 */
void task_sharing(const struct setup* s);            /* Fig. 12 */

#endif
