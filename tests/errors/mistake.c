/* Makes one mistake: mistake <which>. Afterwards it would end with success; that is for the library to
 * prevent. */
#include <armci.h>
#include <message.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int me, processes;

/* --- By one process, while the others wait for it --- */

static void put_outside(void)
{
    int value = 0;
    if (me == 0)
        ARMCI_Put(&value, &value, sizeof value, 0);
    ARMCI_Barrier();
}

static void put_to_nobody(void)
{
    int value = 0;
    if (me == processes - 1)
        ARMCI_Put(&value, &value, sizeof value, processes);
    armci_msg_barrier();
}

static void unlock_unheld(void)
{
    ARMCI_Create_mutexes(1);
    if (me == 0)
        ARMCI_Unlock(0, 0);
    ARMCI_Destroy_mutexes();
}

static void error_code(int code)
{
    if (me == 0)
        ARMCI_Error("the program gives up", code);
    ARMCI_Barrier();
}

static void error_7(void)
{
    error_code(7);
}
static void error_0(void)
{
    error_code(0);
}
static void error_256(void)
{
    error_code(256);
}

static void abort_0(void)
{
    if (me == 0)
        armci_msg_abort(0);
    ARMCI_Barrier();
}

/* --- By all together --- */

static void malloc_negative(void)
{
    void* base[64];
    ARMCI_Malloc(base, me == processes - 1 ? -8 : 8);
}

static void malloc_too_large(void)
{
    void* base[64];
    ARMCI_Malloc(base, me == processes - 1 ? 1L << 50 : 8);
}

static void free_twice(void)
{
    void* base[64];
    ARMCI_Malloc(base, 8);
    ARMCI_Free(base[me]);
    ARMCI_Free(base[me]);
}

/* With ARMCI_ARENA_SIZE=1: the private half of the address range is filled up. */
static void group_without_range(void)
{
    armci_meminfo_t info;
    ARMCI_Group group;
    int members[64];
    int bytes = 1 << 20;
    int terminal = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    for (int i = 0; i < processes; ++i)
        members[i] = i;
    dup2(nowhere, STDERR_FILENO); /* what Memget says at the end of the range */
    while (bytes >= 64)
        if (ARMCI_Memget((size_t)bytes, &info, 0) != 0)
            bytes /= 2;
    dup2(terminal, STDERR_FILENO);
    ARMCI_Barrier();
    ARMCI_Group_create(processes, members, &group);
}

/* --- In calls that can give no code back --- */

static int sum[2];
static char two_ints[8];

static void msg_unknown_type(void)
{
    armci_msg_gop_scope(SCOPE_ALL, sum, 1, "+", 99);
}
static void msg_unknown_operator(void)
{
    armci_msg_igop(sum, 1, "plus");
}
static void msg_no_operator(void)
{
    armci_msg_igop(sum, 1, NULL);
}
static void msg_and_of_floats(void)
{
    float value = 0;
    armci_msg_fgop(&value, 1, "&&");
}
static void msg_or_of_doubles(void)
{
    double value = 0;
    armci_msg_dgop(&value, 1, "or");
}
static void msg_unknown_scope(void)
{
    armci_msg_gop_scope(99, sum, 1, "+", ARMCI_INT);
}
static void msg_negative_count(void)
{
    armci_msg_igop(sum, -1, "+");
}
static void msg_null_buffer(void)
{
    armci_msg_lgop(NULL, 1, "+");
}
static void msg_reduce_type(void)
{
    armci_msg_reduce(sum, 1, "+", -1);
}
static void msg_root(void)
{
    armci_msg_bcast(sum, sizeof sum, processes);
}
static void msg_bcast_size(void)
{
    armci_msg_brdcst(sum, -1, 0);
}
static void msg_sel_record(void)
{
    armci_msg_sel(two_ints, 1, "min", ARMCI_INT, 1);
}
static void msg_sel_operator(void)
{
    armci_msg_sel(two_ints, 8, "+", ARMCI_INT, 1);
}
static void msg_send_to(void)
{
    armci_msg_snd(1, sum, sizeof sum, processes);
}
static void msg_receive_from(void)
{
    armci_msg_rcv(1, sum, sizeof sum, NULL, processes);
}
static void msg_node_brdcst(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armci_grp_clus_brdcst(sum, sizeof sum, 0, processes + 1, &world);
}
static void msg_group(void)
{
    ARMCI_Group group, stale;
    ARMCI_Group_create(1, &me, &group);
    stale = group;
    ARMCI_Group_free(&group);
    armci_msg_group_barrier(&stale);
}
static void msg_too_long(void)
{
    if (me == 0)
        armci_msg_snd(1, sum, sizeof sum, 1);
    else
        armci_msg_rcv(1, sum, 1, NULL, 0);
    ARMCI_Barrier();
}

/* --- At the wrong time --- */

static void put_before_start(void)
{
    ARMCI_Put(sum, sum, sizeof sum, 0);
}
static void msg_before_start(void)
{
    armci_msg_me();
}
static void msg_scope_before_start(void)
{
    MPI_Init(NULL, NULL);
    armci_msg_gop_scope(SCOPE_NODE, sum, 1, "+", ARMCI_INT);
}
static void msg_group_before_start(void)
{
    ARMCI_Group none;
    memset(&none, 0, sizeof none);
    MPI_Init(NULL, NULL);
    armci_msg_group_barrier(&none);
}
static void msg_abort_before_start(void)
{
    armci_msg_init(NULL, NULL);
    if (armci_msg_me() == armci_msg_nproc() - 1)
        armci_msg_abort(3);
    armci_msg_barrier();
}
static void finalize_before_start(void)
{
    ARMCI_Finalize();
}
static void put_after_end(void)
{
    ARMCI_Finalize();
    if (me == 0)
        put_before_start();
}
static void msg_after_end(void)
{
    ARMCI_Finalize();
    if (me == 0)
        armci_msg_nproc();
}
static void msg_group_after_end(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ARMCI_Finalize();
    if (me == 0)
        armci_msg_group_barrier(&world);
}
static void finalize_twice(void)
{
    ARMCI_Finalize();
    if (me == 0)
        ARMCI_Finalize();
}
static void start_on_no_communicator(void)
{
    MPI_Comm some;
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &some);
    ARMCI_Init_mpi_comm(some);
}
static void start_on_another_communicator(void)
{
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
    if (ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD) != 0) /* the one that it runs on */
        exit(0);
    ARMCI_Finalize();
    ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, reversed);
    ARMCI_Barrier();
}
static void start_after_mpi(void)
{
    ARMCI_Finalize(); /* and MPI, which it had started */
    if (me == 0)
        ARMCI_Init();
}
static void group_after_mpi(void)
{
    ARMCI_Group world;
    MPI_Init(NULL, NULL);
    ARMCI_Init();
    const int rank = armci_msg_me();
    MPI_Finalize();
    if (rank == 0)
        ARMCI_Group_get_world(&world);
}
static void thread_level(void)
{
    MPI_Init(NULL, NULL);
    ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
}
static void thread_level_unknown(void)
{
    ARMCI_Init_thread(17);
}

/* --- Not the program's --- */

static void few_open_files(void)
{
    const struct rlimit few = {128, 128};
    setrlimit(RLIMIT_NOFILE, &few);
    ARMCI_Init();
}

/* --- None --- */

static void none(void) {}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name, 0                                                                                       \
    }
#define UNSTARTED(name)                                                                                      \
    {                                                                                                        \
#name, name, 1                                                                                       \
    }
static const struct {
    const char* name;
    void (*make)(void);
    int starts_itself;
} mistakes[] = {CASE(put_outside),
                CASE(put_to_nobody),
                CASE(unlock_unheld),
                CASE(error_7),
                CASE(error_0),
                CASE(error_256),
                CASE(abort_0),
                CASE(malloc_negative),
                CASE(malloc_too_large),
                CASE(free_twice),
                CASE(group_without_range),
                CASE(msg_unknown_type),
                CASE(msg_unknown_operator),
                CASE(msg_no_operator),
                CASE(msg_or_of_doubles),
                CASE(msg_and_of_floats),
                CASE(msg_unknown_scope),
                CASE(msg_negative_count),
                CASE(msg_null_buffer),
                CASE(msg_reduce_type),
                CASE(msg_root),
                CASE(msg_bcast_size),
                CASE(msg_sel_record),
                CASE(msg_sel_operator),
                CASE(msg_send_to),
                CASE(msg_receive_from),
                CASE(msg_node_brdcst),
                CASE(msg_group),
                CASE(msg_too_long),
                UNSTARTED(put_before_start),
                UNSTARTED(msg_before_start),
                UNSTARTED(msg_scope_before_start),
                UNSTARTED(msg_group_before_start),
                UNSTARTED(msg_abort_before_start),
                UNSTARTED(finalize_before_start),
                CASE(put_after_end),
                CASE(msg_after_end),
                CASE(msg_group_after_end),
                CASE(finalize_twice),
                UNSTARTED(start_on_no_communicator),
                CASE(start_on_another_communicator),
                CASE(start_after_mpi),
                UNSTARTED(group_after_mpi),
                UNSTARTED(thread_level),
                UNSTARTED(thread_level_unknown),
                UNSTARTED(few_open_files),
                CASE(none)};

int main(int argc, char** argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof mistakes / sizeof *mistakes; ++i) {
        if (strcmp(argv[1], mistakes[i].name) != 0)
            continue;
        if (!mistakes[i].starts_itself) {
            ARMCI_Init_args(&argc, &argv);
            me = armci_msg_me();
            processes = armci_msg_nproc();
        }
        mistakes[i].make();
        if (ARMCI_Initialized())
            ARMCI_Finalize();
        return 0;
    }
    fprintf(stderr, "mistake: no such mistake\n");
    return 0; /* an unknown name must fail the test, which wants a failure */
}
