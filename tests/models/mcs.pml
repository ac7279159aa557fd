/* mutex/mcs: three processes lock and unlock one mutex, by lock() or try_lock(), twice each.
 *
 * Each statement is one of MPI's atomics on one word, complete at its target (Words); `go` is the message of
 * mutex/hand_over. Checked: one holder at a time, no update of the holder's lost, nobody left waiting (an end
 * state that is none), no message left over. */
#define PROCESSES 3
#define TURNS 2
#define BREAKS 5 /* BREAK=1..5 removes one step each; spin must then find what goes wrong */
#ifndef BREAK
#define BREAK 0
#endif
#define NOBODY 0

byte tail = NOBODY;
byte follower[PROCESSES + 1]; /* from 1 */
chan go[PROCESSES + 1] = [2] of { bit };
byte inside;
byte sum, entered; /* what the mutex protects */
byte ended;

inline hold() {
    d_step { inside++; assert(inside == 1); seen = sum };
    d_step { sum = seen + 1; entered++; inside-- }
}

inline take_follower() {
    atomic {
        next = follower[me];
#if BREAK != 1
        follower[me] = NOBODY
#endif
    }
}

proctype process(byte me) {
    byte turn, before, next, seen;
    bit has;
    do
    :: turn == TURNS -> break
    :: turn < TURNS ->
        d_step { turn++; before = 0; next = 0; seen = 0 };
        if
        :: true -> /* lock() */
#if BREAK == 2
            before = tail;
            tail = me;
#else
            atomic { before = tail; tail = me };
#endif
            if
            :: before != NOBODY -> follower[before] = me; go[me] ? 1
            :: else
            fi;
            has = 1
        :: true -> /* try_lock() */
            atomic {
                has = (tail == NOBODY);
                if
                :: has -> tail = me
                :: else
                fi
            }
        fi;
        if
        :: has ->
            hold();
            if /* followed the last time, or not */
            :: true -> take_follower()
            :: true
            fi;
            if
            :: next == NOBODY ->
#if BREAK == 3
                before = tail;
                tail = NOBODY; /* without a comparison */
#else
                atomic {
                    before = tail;
                    if
                    :: tail == me -> tail = NOBODY
                    :: else
                    fi
                };
#endif
                if
#if BREAK != 4
                :: before != me -> follower[me] != NOBODY; take_follower()
#endif
                :: else
                fi
            :: else
            fi;
            if
#if BREAK == 5
            :: next != NOBODY -> tail = next; go[next] ! 1
#else
            :: next != NOBODY -> go[next] ! 1
#endif
            :: else
            fi
        :: else
        fi
    od;
    ended++
}

init {
    atomic { run process(1); run process(2); run process(3) };
    ended == PROCESSES;
    assert(tail == NOBODY && sum == entered);
    assert(empty(go[1]) && empty(go[2]) && empty(go[3]))
}
