/* armci/base/phase_lock: CPUs of a node and the owner's calls of MPI add to one word of the owner. A CPU's add is a load
 * and a store under the lock that CPUs have for it. MPI's is a load and a store while a call is inside: another node's
 * add, FAR in all, or that of a CPU that gave up. Each CPU adds ADDS times. The owner calls MPI until all is carried out.
 *
 * `arrivals` is one word in the code; here its parts are changed together. A CPU sees at most two phases begin, so the
 * number is kept modulo 4. When a CPU gives up is left open. Checked: no add is lost, no process waits forever. */
#define BREAKS 5 /* BREAK=1..5 removes or moves one step each; spin must then find what goes wrong */
#ifndef BREAK
#define BREAK 0
#endif
#ifndef CPUS
#define CPUS 2
#endif
#ifndef ADDS
#define ADDS 2
#endif
#ifndef FAR
#define FAR 2
#endif

byte phase, arrived, departed;
byte sum, messages, ended, far;
bit stripe;

proctype mpi() {
    byte awaited, seen;
    do
    :: ended == CPUS && messages == 0 && far == FAR -> break
    :: else ->
#if BREAK == 1 /* MPI reads the arrivals, then begins the phase in a second step */
        awaited = arrived;
        phase = (phase + 1) % 4;
#else
        atomic { phase = (phase + 1) % 4; awaited = arrived };
#endif
#if BREAK != 2 /* MPI does not wait */
        departed == awaited;
#endif
        if
        :: far < FAR -> seen = sum; sum = seen + 1; far++
        :: messages > 0 -> seen = sum; sum = seen + 1; messages--
        :: skip
        fi;
        phase = (phase + 1) % 4
    od
}

proctype cpu() {
    byte mine, seen, added;
    bit inside;
    do
    :: added == ADDS -> break
    :: else ->
        atomic { mine = phase; arrived++ };
        if
        :: mine % 2 == 0 -> inside = 1
        :: else ->
            if
#if BREAK == 3 /* a CPU that has arrived while MPI is inside goes ahead */
            :: inside = 1
#endif
            :: phase != mine -> inside = 1
            :: true ->
#if BREAK == 4 /* a CPU that gives up departs instead of taking its arrival back */
                departed++; inside = 0
#elif BREAK == 5 /* it takes it back whatever the phase */
                arrived--; inside = 0
#else
                atomic {
                    if
                    :: phase == mine -> arrived--; inside = 0
                    :: else -> inside = 1
                    fi
                }
#endif
            fi
        fi;
        if
        :: inside ->
            atomic { !stripe -> stripe = 1 };
            seen = sum;
            sum = seen + 1;
            stripe = 0;
            departed++
        :: else -> messages++
        fi;
        added++
    od;
    ended++
}

init {
    byte i;
    atomic {
        run mpi();
        for (i : 1 .. CPUS) { run cpu() }
    };
    _nr_pr == 1;
    assert(sum == CPUS * ADDS + FAR)
}
