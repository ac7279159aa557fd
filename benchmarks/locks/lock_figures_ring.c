/* Fig. 10: each process computes, and looks at times whether the message has come. Then it takes the mutex of
 * its successor, which lives on the next node, puts message and tag there, and goes on computing. A hop lasts
 * until the successor looks next even where the lock costs nothing; a lock that needs the successor's help
 * adds a look for each time that it does. */
#include "lock_figures.h"

#include <stddef.h>

#define MOST_ROUNDS 300

struct ring {
    const struct setup* setup;
    int successor;
    double us;
    long round; /* of this process, from 1; the tag */
};

/* First all first processes of nodes, then all second ones, and so on. */
static int successor(const struct setup* s)
{
    const int nodes = s->nodes, mine = s->place_of[s->job.me] * nodes + s->node_of[s->job.me];
    int first = 0, next = -1, first_key = 0, next_key = 0;
    for (int p = 0; p < s->job.processes; ++p) {
        const int key = s->place_of[p] * nodes + s->node_of[p];
        if (key > mine && (next < 0 || key < next_key)) {
            next = p;
            next_key = key;
        }
        if (p == 0 || key < first_key) {
            first = p;
            first_key = key;
        }
    }
    return next < 0 ? first : next;
}

static void pass_on(const struct ring* r)
{
    struct slice* const target = r->setup->slices[r->successor];
    unsigned char message[MESSAGE_BYTES];
    memset(message, (int)(r->round & 0xff), sizeof message);
    ARMCI_Lock(0, r->successor);
    ARMCI_Put(message, target->message, sizeof message, r->successor);
    ARMCI_Fence(r->successor); /* before the tag says that it is there */
    long tag = r->round;
    ARMCI_Put(&tag, &target->tag, sizeof tag, r->successor);
    ARMCI_Fence(r->successor);
    ARMCI_Unlock(0, r->successor);
}

static void await(const struct ring* r)
{
    const int me = r->setup->job.me;
    struct slice* const mine = r->setup->slices[me];
    unsigned char message[MESSAGE_BYTES];
    long tag;
    do {
        compute(r->us);
        look();
        ARMCI_Get(&mine->tag, &tag, sizeof tag, me);
    } while (tag != r->round);
    ARMCI_Get(mine->message, message, sizeof message, me);
    for (int i = 0; i < MESSAGE_BYTES; ++i)
        if (message[i] != (r->round & 0xff))
            fail("a message came after its tag");
}

static void rounds(void* ring, long repeats)
{
    struct ring* const r = ring;
    while (repeats-- > 0) {
        ++r->round;
        if (r->setup->job.me == 0)
            pass_on(r);
        await(r);
        if (r->setup->job.me != 0)
            pass_on(r);
    }
}

void message_round_computing(const struct setup* s)
{
    static const int us[] = {0, 10, 100, 1000};
    struct ring ring = {s, successor(s), 0, 0};
    for (size_t i = 0; i < sizeof us / sizeof *us; ++i) {
        ring.us = us[i];
        slowest(1, rounds, &ring, 1);
        const double hold = ROW_SECONDS / (slowest(1, rounds, &ring, 2) / 2);
        const long repeats = hold > MOST_ROUNDS ? MOST_ROUNDS : hold < 3 ? 3 : (long)hold;
        row(s, "message_round/hop", us[i],
            1e6 * slowest(1, rounds, &ring, repeats) / (double)(repeats * s->job.processes));
    }
    check_exclusion(s, 1, 0);
}
