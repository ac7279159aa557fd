/* A linked list that all processes build (Fig. 10 of the paper on MPI-3 one-sided communication); one point,
 * at so many processes: microseconds per element.
 *
 *     linked_list [--seconds S] [--elements N]
 *
 *     mutex      the tail's place is known; a mutex guards reading it and both writes
 *     swap       the tail is swapped for the new element, which its predecessor then is told of
 *     traverse   no tail: all processes walk along the list, and who follows the last element's owner
 * appends; pointers are read and written by fetch-and-add and swap
 *
 * With BENCHMARK_MPI (memory.h), traversal in the three idioms of the paper: puts and gets in exclusive
 * epochs, atomic accesses in shared epochs, atomic accesses and flushes. BENCHMARK_MPI=dynamic attaches each
 * element as it is made. As many elements as the seconds hold, N of each process at most (10,000). */
#include <sched.h>
#include <stddef.h>

#include "memory.h"

#define FEWEST 2 /* elements of each process */
#define BUILDS 3

/* A process and a displacement in its memory, in one word; 0 is none. */
typedef long pointer;

#define PROCESS_SHIFT 48

struct element {
    pointer next;
    long number; /* of its owner's elements */
};

/* Of each process; the tail and the first element, which nobody appends, of process 0 are the list's. */
struct part {
    pointer tail;
    struct element first;
    struct element elements[];
};

struct list {
    struct job job;
    const char* flavour; /* NULL: ARMCI's global memory */
    long count;          /* elements of each process */
    long most;
    struct memory memory;
    struct part* mine;
    long base; /* displacement of my part */
};

static int is_dynamic(const struct list* l)
{
    return l->flavour != NULL && strcmp(l->flavour, "dynamic") == 0;
}

static int owner(pointer p)
{
    return (int)(p >> PROCESS_SHIFT) - 1;
}

static long displacement(pointer p)
{
    return p & ((1L << PROCESS_SHIFT) - 1);
}

static pointer pointer_to(int process, long at)
{
    return (long)(process + 1) << PROCESS_SHIFT | at;
}

static pointer my_element(const struct list* l, long i)
{
    return pointer_to(l->job.me,
                      l->base + (long)offsetof(struct part, elements) + i * (long)sizeof(struct element));
}

static pointer first_element(const struct list* l)
{
    const long at = l->flavour == NULL ? 0 : (long)l->memory.at[0];
    return pointer_to(0, at + (long)offsetof(struct part, first));
}

/* Where `next` of an element is, as ARMCI names it. */
static void* next_of(const struct list* l, pointer p)
{
    return (char*)l->memory.bases[owner(p)] + displacement(p) + offsetof(struct element, next);
}

static void append_by_mutex(struct list* l)
{
    pointer* const tail = &((struct part*)l->memory.bases[0])->tail;
    for (long i = 0; i < l->count; ++i) {
        pointer added = my_element(l, i), last;
        ARMCI_Lock(0, 0);
        ARMCI_Get(tail, &last, sizeof last, 0);
        ARMCI_Put(&added, next_of(l, last), sizeof added, owner(last));
        ARMCI_Put(&added, tail, sizeof added, 0);
        ARMCI_Fence(0);
        ARMCI_Unlock(0, 0);
    }
}

static void append_by_swap(struct list* l)
{
    pointer* const tail = &((struct part*)l->memory.bases[0])->tail;
    for (long i = 0; i < l->count; ++i) {
        pointer added = my_element(l, i), last = added;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &last, tail, 0, 0);
        ARMCI_Put(&added, next_of(l, last), sizeof added, owner(last));
    }
}

static pointer read_by_rmw(struct list* l, pointer p)
{
    pointer next;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &next, next_of(l, p), 0, owner(p));
    return next;
}

static void write_by_rmw(struct list* l, pointer p, pointer next)
{
    ARMCI_Rmw(ARMCI_SWAP_LONG, &next, next_of(l, p), 0, owner(p));
}

static MPI_Aint next_at(pointer p)
{
    return (MPI_Aint)displacement(p) + (MPI_Aint)offsetof(struct element, next);
}

/* A displacement is from where the owner's bytes begin. */
static size_t offset_of(const struct list* l, pointer p)
{
    return (size_t)(next_at(p) - l->memory.at[owner(p)]);
}

static pointer read_exclusively(struct list* l, pointer p)
{
    pointer next;
    mpi_locked(&l->memory, MPI_LOCK_EXCLUSIVE, GET, &next, owner(p), offset_of(l, p), sizeof next);
    return next;
}

static void write_exclusively(struct list* l, pointer p, pointer next)
{
    mpi_locked(&l->memory, MPI_LOCK_EXCLUSIVE, PUT, &next, owner(p), offset_of(l, p), sizeof next);
}

static void begin_atomic_read(struct list* l, pointer p, pointer* next)
{
    MPI_Get_accumulate(NULL, 0, MPI_LONG, next, 1, MPI_LONG, owner(p), next_at(p), 1, MPI_LONG, MPI_NO_OP,
                       l->memory.window);
}

static void begin_atomic_write(struct list* l, pointer p, const pointer* next)
{
    MPI_Accumulate(next, 1, MPI_LONG, owner(p), next_at(p), 1, MPI_LONG, MPI_REPLACE, l->memory.window);
}

static pointer read_shared(struct list* l, pointer p)
{
    pointer next;
    MPI_Win_lock(MPI_LOCK_SHARED, owner(p), 0, l->memory.window);
    begin_atomic_read(l, p, &next);
    MPI_Win_unlock(owner(p), l->memory.window);
    return next;
}

static void write_shared(struct list* l, pointer p, pointer next)
{
    MPI_Win_lock(MPI_LOCK_SHARED, owner(p), 0, l->memory.window);
    begin_atomic_write(l, p, &next);
    MPI_Win_unlock(owner(p), l->memory.window);
}

static pointer read_and_flush(struct list* l, pointer p)
{
    pointer next;
    begin_atomic_read(l, p, &next);
    MPI_Win_flush(owner(p), l->memory.window);
    return next;
}

static void write_and_flush(struct list* l, pointer p, pointer next)
{
    begin_atomic_write(l, p, &next);
    MPI_Win_flush(owner(p), l->memory.window);
}

/* Who polls may poll its own memory, which takes no MPI; the others need it to call some, and a core. */
static void let_others_work(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    sched_yield();
}

struct idiom {
    const char* series;
    void (*append)(struct list*); /* NULL: by traversal */
    pointer (*read)(struct list*, pointer);
    void (*write)(struct list*, pointer, pointer);
    int lock_all;
};

static void traverse(struct list* l, const struct idiom* idiom)
{
    const int before_me = (l->job.me + l->job.processes - 1) % l->job.processes;
    pointer at = first_element(l);
    for (long i = 0; i < l->count;) {
        pointer next = idiom->read(l, at);
        if (next == 0 && owner(at) == before_me) {
            next = my_element(l, i++);
            if (is_dynamic(l))
                MPI_Win_attach(l->memory.window, &l->mine->elements[i - 1], sizeof(struct element));
            idiom->write(l, at, next);
        }
        if (next == 0)
            let_others_work();
        else
            at = next;
    }
}

static const struct idiom of_armci[] = {
    {"list/mutex", append_by_mutex, NULL, NULL, 0},
    {"list/swap", append_by_swap, NULL, NULL, 0},
    {"list/traverse", NULL, read_by_rmw, write_by_rmw, 0},
};
static const struct idiom of_mpi[] = {
    {"list/exclusive_epochs", NULL, read_exclusively, write_exclusively, 0},
    {"list/shared_epochs", NULL, read_shared, write_shared, 0},
    {"list/lock_all", NULL, read_and_flush, write_and_flush, 1},
};

/* Process 0 walks along a copy of everybody's elements. */
static void verify(const struct list* l, int in_turns)
{
    const size_t each = (size_t)l->count;
    const int processes = l->job.processes;
    struct element* const all = not_null(malloc((size_t)processes * each * sizeof *all));
    long* const seen = not_null(calloc((size_t)processes, sizeof *seen));
    long* const bases = not_null(malloc((size_t)processes * sizeof *bases));
    MPI_Gather(l->mine->elements, (int)(2 * each), MPI_LONG, all, (int)(2 * each), MPI_LONG, 0,
               MPI_COMM_WORLD);
    MPI_Gather(&l->base, 1, MPI_LONG, bases, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    pointer at = l->mine->first.next;
    for (long i = 1; l->job.me == 0 && i <= (long)each * processes; ++i) {
        const int process = owner(at);
        if (process < 0 || process >= processes || (in_turns && process != i % processes))
            fail("the list has a wrong element");
        const long place = (displacement(at) - bases[process] - (long)offsetof(struct part, elements)) /
                           (long)sizeof(struct element);
        if (place != seen[process] || place >= l->count)
            fail("an element of the list is missing, or in it twice");
        const struct element* const element = &all[(size_t)process * each + (size_t)place];
        if (element->number != place)
            fail("an element of the list has a wrong number");
        ++seen[process];
        at = element->next;
    }
    if (l->job.me == 0 && at != 0)
        fail("the list is too long");
    free(all);
    free(seen);
    free(bases);
}

/* Collective. Seconds of the slowest process. */
static double build(struct list* l, const struct idiom* idiom)
{
    l->mine->tail = first_element(l);
    l->mine->first.next = 0;
    for (long i = 0; i < l->count; ++i)
        l->mine->elements[i] = (struct element){0, i};
    if (idiom->lock_all)
        MPI_Win_lock_all(0, l->memory.window);
    meet(l->flavour);
    double took = seconds();
    if (idiom->append != NULL)
        idiom->append(l);
    else
        traverse(l, idiom);
    took = seconds() - took;
    meet(l->flavour);
    if (idiom->lock_all)
        MPI_Win_unlock_all(l->memory.window);
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (is_dynamic(l))
        for (long i = 0; i < l->count; ++i)
            MPI_Win_detach(l->memory.window, &l->mine->elements[i]);
    verify(l, idiom->append == NULL);
    return took;
}

static void report(struct list* l, const struct idiom* idiom)
{
    const double each_build = budget / BUILDS;
    double us[BUILDS], took;
    l->count = FEWEST;
    build(l, idiom); /* opens connections */
    while ((took = build(l, idiom)) < each_build / 4 && l->count < l->most)
        l->count = 4 * l->count < l->most ? 4 * l->count : l->most;
    const double hold = (double)l->count * each_build / took;
    l->count = hold >= (double)l->most ? l->most : hold > FEWEST ? (long)hold : FEWEST;
    for (int i = 0; i < BUILDS; ++i)
        us[i] = 1e6 * build(l, idiom) / (double)(l->count * l->job.processes);
    print_point(l->job, idiom->series, l->job.processes, median(us, BUILDS), "us");
}

int main(int argc, char** argv)
{
    double most = 10000;
    const struct option options[] = {{"--elements", &most, FEWEST, 0, NULL, 0}, {0}};
    struct list l = {.job = begin_job(argc, argv, "A linked list that all build", options)};
    l.flavour = flavour_of_mpi();
    l.most = (long)most;
    l.memory = open_memory(l.job, sizeof(struct part) + (size_t)l.most * sizeof(struct element), l.flavour);
    l.mine = (struct part*)l.memory.mine;
    if (is_dynamic(&l)) { /* elements are attached as they are made */
        MPI_Win_detach(l.memory.window, l.memory.mine);
        MPI_Win_attach(l.memory.window, l.memory.mine, offsetof(struct part, elements));
    }
    if (l.flavour != NULL)
        l.base = (long)l.memory.at[l.job.me];
    else
        ARMCI_Create_mutexes(l.job.me == 0);
    const struct idiom* const idioms = l.flavour != NULL ? of_mpi : of_armci;
    for (int i = 0; i < 3; ++i)
        report(&l, &idioms[i]);
    if (l.flavour == NULL)
        ARMCI_Destroy_mutexes();
    close_memory(&l.memory);
    end_job();
    return 0;
}
