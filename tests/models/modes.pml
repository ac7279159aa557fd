/* gmr/network/modes: three processes add to one word of the first, in EPOCHS epochs, each at most once in each of them. The
 * first lives on node 0, the others on NODE2 and NODE3. With THREAD only the first and a thread of the third add, the
 * thread once at any time, while its process may be in a barrier. With BARE the third may come to a barrier without a
 * fence, which then begins no epoch.
 *
 * A CPU's add is a load and a store under the lock that CPUs have for it. An add through MPI is a message, which the
 * target's MPI carries out by a load and a store, one message at a time, whenever it likes; a fence waits for that.
 * Each other statement is one load or store of a CPU, or one of MPI's operations complete at the target. For how many
 * epochs MPI keeps the target is left open, which covers every policy. Checked: no add is lost, nobody waits forever. */
#define PROCESSES 3
#define BREAKS 9 /* BREAK=1..9 removes or moves one step each; spin must then find what goes wrong */
#ifndef BREAK
#define BREAK 0
#endif
#ifndef NODE2
#define NODE2 0
#define NODE3 1
#endif
#ifndef EPOCHS
#define EPOCHS 3
#endif

/* On the first process. */
byte until;
byte turns[PROCESSES + 1]; /* from 1 */
bit stripe;
byte sum;
chan messages = [4] of { byte };

/* Of each process. */
byte cpu_epoch[PROCESSES + 1] = 1;
byte mpi_epoch[PROCESSES + 1] = 1;
byte claimed[PROCESSES + 1];
byte pending[PROCESSES + 1];
byte issuing[2 * (PROCESSES + 1)];
bit guard[PROCESSES + 1];

byte arrived, phase, added, ended;
bit refused, agreed;

proctype mpi_of_target() {
    byte origin, seen;
end:
    do
    :: messages ? origin -> seen = sum; sum = seen + 1; pending[origin]--
    od
}

inline drain() {
    turns[1] == 0;
    turns[2] == 0
}

inline add_by_mpi() {
    do
    :: epoch = mpi_epoch[me];
        issuing[2 * me + epoch % 2]++;
        if
        :: mpi_epoch[me] == epoch -> break
        :: else -> issuing[2 * me + epoch % 2]--
        fi
    od;
    atomic { !guard[me] -> guard[me] = 1 };
    if
    :: claimed[me] < epoch ->
#if BREAK == 2
        drain();
#endif
        seen = 0;
        if
        :: node == 0 -> seen = until
        :: else
        fi;
        if
        :: seen < epoch ->
            if
            :: wanted = epoch
            :: wanted = epoch + 1
            fi;
#if BREAK == 6
            until = wanted;
            seen = wanted;
#else
            d_step { until = (until > wanted -> until : wanted); seen = until };
#endif
#if BREAK == 7
            drain()
#endif
        :: else
        fi;
#if BREAK != 2 && BREAK != 3 && BREAK != 7
        drain();
#endif
        claimed[me] = seen
    :: else
    fi;
    guard[me] = 0;
    atomic { pending[me]++; added++; messages ! me };
    issuing[2 * me + epoch % 2]--
}

inline add() {
    if
    :: node == 0 ->
#if BREAK == 1
        by_cpu = (until < cpu_epoch[me]);
        turns[me]++;
#else
        turns[me]++;
        by_cpu = (until < cpu_epoch[me]);
#endif
        if
        :: by_cpu ->
            atomic { !stripe -> stripe = 1 };
            seen = sum;
#if BREAK == 4
            turns[me]--;
#endif
            d_step { sum = seen + 1; added++ };
            stripe = 0;
#if BREAK != 4
            turns[me]--
#endif
        :: else -> turns[me]--; add_by_mpi()
        fi
    :: else -> add_by_mpi()
    fi
}

inline meet() {
#if BREAK != 5
    if
    :: pending[me] == 0 /* a fence */
#ifdef BARE
    :: me == PROCESSES -> skip
#endif
    fi;
#endif
#if BREAK != 8
    mpi_epoch[me]++;
#if BREAK != 9
    issuing[2 * me + (mpi_epoch[me] + 1) % 2] == 0;
#endif
#endif
    by_cpu = (pending[me] == 0);
#if BREAK == 5
    by_cpu = 1;
#endif
    atomic {
        refused = refused || !by_cpu;
        arrived++;
        before = phase;
        if
        :: arrived == PROCESSES -> agreed = !refused; refused = 0; arrived = 0; phase++
        :: else
        fi
    };
    phase != before;
#if BREAK == 8
    mpi_epoch[me]++;
#endif
    if
    :: agreed -> cpu_epoch[me] = mpi_epoch[me]
    :: else
    fi
}

proctype process(byte me; byte node) {
    byte turn, epoch, wanted, seen, before;
    bit by_cpu;
    do
    :: turn == EPOCHS -> break
    :: else ->
        turn++;
        if
#ifdef THREAD
        :: me == 1 -> add()
#else
        :: add()
#endif
        :: skip
        fi;
        meet()
    od;
    ended++
}

#ifdef THREAD
proctype thread(byte me; byte node) {
    byte epoch, wanted, seen;
    add_by_mpi();
    ended++
}
#define ALL (PROCESSES + 1)
#else
#define ALL PROCESSES
#endif

init {
    atomic {
        run mpi_of_target();
        run process(1, 0);
        run process(2, NODE2);
        run process(3, NODE3);
#ifdef THREAD
        run thread(3, NODE3)
#endif
    };
    ended == ALL && pending[1] == 0 && pending[2] == 0 && pending[3] == 0;
    assert(sum == added)
}
