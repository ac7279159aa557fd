/* Opens and closes the library while MPI runs; MPI ends long after: unload <way> <library> <stays|goes>.
 *
 * finished     without a start, then twice from ARMCI_Init to ARMCI_Finalize
 * unfinished   once, without ARMCI_Finalize
 *
 * stays, goes  whether the library's code is still there when it is closed
 */
#include <armci.h>

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, processes;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, me, #condition);             \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                    \
        }                                                                                                    \
    } while (0)

/* Calls `name` of `library`, whose type is that of the declaration. */
#define CALL(library, name) ((__typeof__(&name))symbol(library, #name))

static void* symbol(void* library, const char* name)
{
    void* const found = dlsym(library, name);
    CHECK(found != NULL);
    return found;
}

static void* opened(const char* path)
{
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fprintf(stderr, "rank %d: %s\n", me, dlerror());
    CHECK(library != NULL);
    return library;
}

static void closed(void* library, const char* path, int stays)
{
    CHECK(dlclose(library) == 0);
    CHECK((dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL) == stays);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void start(void* library)
{
    const int right = (me + 1) % processes, left = (me + processes - 1) % processes;
    void** const memory = malloc((size_t)processes * sizeof *memory);
    long drawn;
    CHECK(CALL(library, ARMCI_Init)() == 0);
    CHECK(CALL(library, ARMCI_Malloc)(memory, 2 * sizeof(long)) == 0);
    memset(memory[me], 0, 2 * sizeof(long));
    CALL(library, ARMCI_Barrier)();
    CHECK(CALL(library, ARMCI_Create_mutexes)(1) == 0);
    CALL(library, ARMCI_Lock)(0, 0);
    CHECK(CALL(library, ARMCI_PutValueLong)(me, memory[right], right) == 0);
    CALL(library, ARMCI_Unlock)(0, 0);
    CHECK(CALL(library, ARMCI_Rmw)(ARMCI_FETCH_AND_ADD_LONG, &drawn, (long*)memory[0] + 1, 1, 0) == 0);
    CALL(library, ARMCI_Barrier)();
    CHECK(*(long*)memory[me] == left);
    CHECK(me != 0 || ((long*)memory[0])[1] == processes);
    CHECK(CALL(library, ARMCI_Destroy_mutexes)() == 0);
    CHECK(CALL(library, ARMCI_Free)(memory[me]) == 0);
    free(memory);
}

int main(int argc, char** argv)
{
    int life, stays;
    const char* path;
    void* library;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    CHECK(argc == 4);
    path = argv[2];
    stays = strcmp(argv[3], "stays") == 0;
    if (strcmp(argv[1], "unfinished") == 0) {
        library = opened(path);
        start(library);
        closed(library, path, stays);
    } else {
        closed(opened(path), path, stays);
        for (life = 0; life < 2; ++life) {
            library = opened(path);
            start(library);
            CHECK(CALL(library, ARMCI_Finalize)() == 0);
            closed(library, path, stays);
        }
    }
    MPI_Finalize();
    return 0;
}
