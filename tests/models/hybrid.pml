/* mutex/hybrid: three processes lock and unlock one mutex, by lock() or try_lock(), the first FIRST times and the
 * others OTHERS times. The first lives on the owner's node, 0, the others on nodes NODE2 and NODE3.
 *
 * The ticket lock of a node is one step (it has a test of its own); of the tickets only their number is kept,
 * for the hand-over within a node. Each other statement is one load or store of a CPU, or one of MPI's atomics
 * complete at the owner. Whether the mode goes back to CPU is left open, which covers every policy. Checked:
 * one holder at a time, no update of the holder's lost, nobody left waiting, no message left over, and of all
 * who try a free mutex one has it. */
#define PROCESSES 3
#define MOST_IN_A_ROW 1
#define BREAKS 9 /* BREAK=1..9 removes or moves one step each; spin must then find what goes wrong */
#ifndef BREAK
#define BREAK 0
#endif
#ifndef NODE2
#define NODE2 0
#define NODE3 1
#endif
#define NODES 3
#ifndef FIRST
#define FIRST 2
#define OTHERS 2
#endif
#define NOBODY 0

/* On the owner. */
byte tail = NOBODY;
byte follower[PROCESSES + 1]; /* from 1 */
bit network; /* the odd bit of `mode` */
byte announced; /* 1 asks, 2 holds */
chan go[PROCESSES + 1] = [2] of { bit };

/* On each node. */
bit ticket[NODES];
byte tickets[NODES]; /* taken and not yet given back */
byte queued_by[NODES];
byte in_a_row[NODES];

byte inside;
byte sum, entered; /* what the mutex protects */
byte ended;

inline hand_to_next_node() {
    atomic {
        before = tail;
        if
        :: tail == queued -> tail = NOBODY
        :: else
        fi
    };
    if
    :: before != queued ->
#if BREAK != 4
        follower[queued] != NOBODY;
#endif
        atomic { next = follower[queued]; follower[queued] = NOBODY };
        if
        :: next != NOBODY -> go[next] ! 1
        :: else
        fi
    :: else
    fi
}

proctype process(byte me; byte node) {
    byte turn, before, next, seen, queued;
    bit has, tries, by_cpu, stopped;
    do
    :: turn == (me == 1 -> FIRST : OTHERS) -> break
    :: else ->
        d_step { turn++; has = 0; by_cpu = 0; stopped = 0; before = 0; next = 0; seen = 0; queued = 0 };
        if
        :: tries = 0; tickets[node]++; d_step { !ticket[node] -> ticket[node] = 1 }
        :: tries = 1;
            atomic {
                if
                :: tickets[node] == 0 -> tickets[node]++; ticket[node] = 1
                :: else -> goto next_turn
                fi
            }
        fi;
        has = (queued_by[node] != NOBODY);
        if
        :: !has && node == 0 ->
#if BREAK == 1
            by_cpu = !network;
            announced = 1;
#else
            announced = 1;
            by_cpu = !network;
#endif
            has = by_cpu;
            if
            :: by_cpu -> announced = 2
            :: else -> announced = 0
            fi
        :: else
        fi;
        if
        :: has -> goto enter
        :: else
        fi;
        if
        :: tries ->
            atomic {
                before = tail;
                if
                :: tail == NOBODY -> tail = me
                :: else
                fi
            };
            if
            :: before != NOBODY -> goto give_ticket_back
            :: else
            fi
        :: !tries ->
            atomic { before = tail; tail = me };
            if
            :: before != NOBODY -> follower[before] = me; go[me] ? 1
            :: else
            fi
        fi;
        if
        :: node != 0 ->
#if BREAK == 2
            has = (announced != 0);
            stopped = !network;
            network = 1;
#else
            stopped = !network; /* with the next one a swap; only the holder of the queue's lock changes it */
            network = 1;
            has = (announced != 0);
#endif
            if
            :: stopped && has && tries ->
#if BREAK != 9
                atomic { announced != 1; has = (announced == 2) };
#endif
                if
                :: has ->
                    network = 0;
                    queued = me;
                    hand_to_next_node();
                    goto give_ticket_back
                :: else
                fi
#if BREAK != 3
            :: stopped && has && !tries -> announced == 0
#endif
            :: else
            fi
        :: else
        fi;
        d_step { queued_by[node] = me; in_a_row[node] = 0 };
enter:
        skip;
#if BREAK == 7
        if
        :: by_cpu -> announced = 0
        :: else
        fi;
#endif
        d_step { inside++; assert(inside == 1); seen = sum };
        d_step { sum = seen + 1; entered++; inside-- };
        queued = queued_by[node];
        if
        :: queued == NOBODY -> announced = 0
        :: queued != NOBODY && tickets[node] > 1 && in_a_row[node] < MOST_IN_A_ROW -> in_a_row[node]++
        :: queued != NOBODY && !(tickets[node] > 1 && in_a_row[node] < MOST_IN_A_ROW) ->
#if BREAK == 5
            hand_to_next_node();
#endif
            if
            :: network -> network = 0
            :: true
            fi;
#if BREAK == 6
            atomic { ticket[node] = 0; tickets[node]-- };
            hand_to_next_node();
            queued_by[node] = NOBODY;
            goto next_turn;
#elif BREAK == 8
            queued_by[node] = NOBODY;
#elif BREAK != 5
            queued_by[node] = NOBODY;
            hand_to_next_node();
#else
            queued_by[node] = NOBODY;
#endif
            skip
        fi;
give_ticket_back:
        atomic { ticket[node] = 0; tickets[node]-- };
next_turn:
        skip
    od;
    ended++
}

init {
    atomic {
        run process(1, 0);
        run process(2, NODE2);
        run process(3, NODE3)
    };
    ended == PROCESSES;
    assert(tail == NOBODY && announced == 0 && sum == entered);
    assert(entered > 0); /* the mutex was free: not all of them give up */
    assert(empty(go[1]) && empty(go[2]) && empty(go[3]))
}
