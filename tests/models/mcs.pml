/* mutex/queue, as mutex/mcs uses it: three processes lock and unlock one mutex, by lock() or try_lock(), twice each.
 * With -DSWAPS, where compare-and-swap may hang.
 *
 * Each statement is one of MPI's atomics on one word, complete at its target (Words); `go` is the message of
 * mutex/hand_over. Checked: one holder at a time, no update of the holder's lost, nobody left waiting (an end
 * state that is none), no message left over, and of all who try a free mutex one has it. */
#define PROCESSES 3
#ifndef TURNS
#define TURNS 2
#endif
#define BREAKS 5 /* BREAK=1..5 removes one step each, and 6..10 with -DSWAPS; spin must then find what goes wrong */
#ifndef BREAK
#define BREAK 0
#endif
#define NOBODY 0
#define GAVE_UP 8 /* and the process */

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

inline take_follower(entry) {
    atomic {
        next = follower[entry];
#if BREAK != 1
        follower[entry] = NOBODY
#endif
    }
}

#ifdef SWAPS
inline swap_tail(value) {
    atomic { before = tail; tail = value }
}

inline try_to_enter() {
    has = 1;
    if
    :: gave_up ->
#if BREAK == 6
        gave_up = 0; has = (len(go[me]) > 0);
        if
        :: has -> go[me] ? 1
        :: else -> has = 1
        fi
#else
        if
        :: go[me] ? 1 -> gave_up = 0
        :: empty(go[me]) -> has = 0
        fi
#endif
    :: else
    fi;
    if
    :: has -> has = (tail == NOBODY)
    :: else
    fi;
    if
    :: has ->
        swap_tail(me);
        has = (before == NOBODY);
        if
        :: !has ->
            gave_up = 1;
#if BREAK == 7
            tail = before
#else
            follower[before] = GAVE_UP + me
#endif
        :: else
        fi
    :: else
    fi
}

/* For `entry`, whose follower may be known. */
inline leave() {
    do
    :: true ->
        between = NOBODY;
        if
        :: next == NOBODY ->
            swap_tail(NOBODY);
            last = before;
            if
            :: last != entry ->
                swap_tail(last);
                between = before;
                follower[entry] != NOBODY;
                take_follower(entry)
            :: else
            fi
        :: else
        fi;
#if BREAK == 8
        between = NOBODY;
#endif
        if
        :: between != NOBODY -> follower[between] = next
        :: else
        fi;
        if
#if BREAK != 9
        :: entry != me -> go[entry] ! 1
#endif
        :: else
        fi;
        if
        :: next == NOBODY || between != NOBODY -> break
        :: next != NOBODY && between == NOBODY && next < GAVE_UP -> go[next] ! 1; break
        :: next != NOBODY && between == NOBODY && next > GAVE_UP ->
#if BREAK == 10
            break;
#endif
            entry = next - GAVE_UP;
            take_follower(entry)
        fi
    od
}
#endif

proctype process(byte me) {
    byte turn, before, next, seen;
    bit has;
#ifdef SWAPS
    byte entry, last, between;
    bit gave_up;
#endif
    do
    :: turn == TURNS -> break
    :: turn < TURNS ->
        d_step { turn++; before = 0; next = 0; seen = 0 };
        if
        :: true -> /* lock() */
#ifdef SWAPS
            if
            :: gave_up -> go[me] ? 1; gave_up = 0
            :: else
            fi;
#endif
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
#ifdef SWAPS
            try_to_enter()
#else
            atomic {
                has = (tail == NOBODY);
                if
                :: has -> tail = me
                :: else
                fi
            }
#endif
        fi;
        if
        :: has ->
            hold();
            if /* followed the last time, or not */
            :: true -> take_follower(me)
            :: true
            fi;
#ifdef SWAPS
            entry = me;
            leave()
#else
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
                :: before != me -> follower[me] != NOBODY; take_follower(me)
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
#endif
        :: else
        fi
    od;
#ifdef SWAPS
    if /* when the set is destroyed */
    :: gave_up -> go[me] ? 1
    :: else
    fi;
#endif
    ended++
}

init {
    atomic { run process(1); run process(2); run process(3) };
    ended == PROCESSES;
    assert(tail == NOBODY && sum == entered);
    assert(entered > 0);
    assert(empty(go[1]) && empty(go[2]) && empty(go[3]))
}
