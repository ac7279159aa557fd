/* mutex/node_mutex where processes outnumber cores: PROCESSES of them lock and unlock one mutex, by lock() or
 * try_lock(), the first FIRST times and the others OTHERS times.
 *
 * Each statement is one load, store or swap, or one call of the kernel: a sleep begins where the word still is
 * what was seen, and ends only by a wake-up; the time-out that may end it earlier is left out, so that a lost
 * wake-up is a process left waiting. Checked: one holder at a time, no update of the holder's lost, nobody left
 * waiting, tickets served in order and MOST_IN_A_ROW times at most, and of all who try a free mutex one has it. */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef FIRST
#define FIRST 2
#define OTHERS 1
#endif
#define MOST_IN_A_ROW 3
#define BREAKS 8 /* BREAK=1..8 removes or moves one step each; spin must then find what goes wrong */
#ifndef BREAK
#define BREAK 0
#endif
#define TICKETS (FIRST + (PROCESSES - 1) * OTHERS + 1)

/* The word `serving`: a ticket, and one of these bits or none. */
#define KEPT 1
#define ASKED 2
#define ONE_TICKET 4
#define TICKET_OF(word) ((word) / ONE_TICKET * ONE_TICKET)

byte next;
byte serving;
byte turns;
byte keeper;
byte sleepers;
bit asleep[TICKETS]; /* by ticket: in the kernel until woken */

byte inside;
byte sum, entered; /* what the mutex protects */
byte last, in_a_row; /* the ticket served last, and how often */
byte ended;

/* The turn is `ticket`'s. */
inline hold() {
    d_step {
        inside++;
        assert(inside == 1);
        assert(ticket >= last);
        in_a_row = (entered > 0 && ticket == last -> in_a_row + 1 : 1);
        assert(in_a_row <= MOST_IN_A_ROW);
        last = ticket;
        seen = sum
    };
    d_step { sum = seen + 1; entered++; inside-- }
}

inline sleep_on(value) {
    sleepers++;
    atomic {
        if
        :: serving == value -> asleep[ticket / ONE_TICKET] = 1
        :: else
        fi
    };
    !asleep[ticket / ONE_TICKET];
    sleepers--
}

inline wake(whose) {
    if
    :: sleepers > 0 -> asleep[(whose) / ONE_TICKET] = 0
    :: else
    fi
}

/* What lock() waits for. It may fall asleep at any look before it is next in line, and then after any. */
inline await_turn() {
    do
    :: atomic { word = serving; asks = (ticket - TICKET_OF(word) <= ONE_TICKET) };
        if
        :: asks -> break
        :: else -> sleep_on(word)
        fi
    od;
    do
    :: atomic {
            word = serving;
            looked = word;
            if
            :: asks = 1
            :: asks = 0
            fi
        };
again:
#if BREAK == 1
        if
        :: word == ticket -> break
        :: else
        fi;
#else
        if
        :: TICKET_OF(word) == ticket -> break
        :: else
        fi;
#endif
        if
        :: word == ticket - ONE_TICKET + KEPT ->
#if BREAK == 2
            taken = (serving == word);
            serving = ticket;
#else
            atomic {
                taken = (serving == word);
                if
                :: taken -> serving = ticket
                :: else -> word = serving
                fi
            };
#endif
            if
            :: taken -> break
            :: else -> goto again
            fi
#if BREAK != 3
        :: word == ticket - ONE_TICKET && asks ->
            atomic {
                taken = (serving == word);
                if
                :: taken -> serving = word + ASKED
                :: else -> word = serving
                fi
            };
#if BREAK != 4
            if
            :: !taken -> goto again
            :: else
            fi;
#endif
            sleep_on(looked)
        :: word == ticket - ONE_TICKET + ASKED -> sleep_on(word)
        :: word == ticket - ONE_TICKET && !asks /* it yields */
#else
        :: word == ticket - ONE_TICKET -> sleep_on(word)
#endif
        fi
    od;
    turns = 1
}

proctype process(byte me) {
    byte turn, ticket, word, looked, seen;
    bit has, asks, taken;
    do
    :: turn == (me == 1 -> FIRST : OTHERS) -> break
    :: else ->
        turn++;
        if
        :: true -> /* lock() */
            word = serving;
            if
            :: word % ONE_TICKET == KEPT && keeper == me ->
#if BREAK == 5
                has = 1;
                serving = TICKET_OF(word);
#else
                atomic {
                    if
                    :: serving == word -> serving = TICKET_OF(word); has = 1
                    :: else
                    fi
                };
#endif
                if
                :: has -> turns++
                :: else
                fi
            :: else
            fi;
            if
            :: !has ->
                atomic { ticket = next; next = next + ONE_TICKET };
                await_turn();
                has = 1
            :: else
            fi
        :: true -> /* try_lock() */
            word = serving;
            atomic {
                if
                :: next == word -> next = next + ONE_TICKET; ticket = word; has = 1
                :: else
                fi
            };
            if
            :: has -> turns = 1
            :: else
            fi
        fi;
        if
        :: has ->
            hold();
            word = serving;
            taken = 0; /* kept */
            if
#if BREAK == 6
            :: word % ONE_TICKET == 0 && next - ticket > ONE_TICKET ->
#else
            :: turns < MOST_IN_A_ROW && word % ONE_TICKET == 0 && next - ticket > ONE_TICKET ->
#endif
                keeper = me;
                has = (turns == 1); /* the next in line may sleep */
#if BREAK == 7
                has = 0;
#endif
#if BREAK == 8
                taken = 1;
                serving = word + KEPT;
#else
                atomic {
                    if
                    :: serving == word -> serving = word + KEPT; taken = 1
                    :: else
                    fi
                };
#endif
                if
                :: taken && has -> wake(ticket + ONE_TICKET)
                :: else
                fi
            :: else
            fi;
            if
            :: !taken ->
                serving = ticket + ONE_TICKET;
                wake(ticket + ONE_TICKET)
            :: else
            fi
        :: else
        fi;
        d_step { has = 0; word = 0; looked = 0; seen = 0; asks = 0; taken = 0 }
    od;
    ended++
}

init {
    atomic {
        run process(1);
        run process(2);
#if PROCESSES > 2
        run process(3)
#endif
    };
    ended == PROCESSES;
    assert(serving == next && sum == entered && sleepers == 0);
    assert(entered > 0)
}
