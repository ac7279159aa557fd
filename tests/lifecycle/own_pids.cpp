// Each rank in a PID namespace of its own, as in a container of its own: process and thread ids are the same
// for all. Ends with status 0 if all went as it should.
#include <armci.h>
#include <message.h>

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

int me, processes;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, me, #condition);        \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                    \
        }                                                                                                    \
    } while (false)

// The namespaces are as the test's name says.
void compare_ids()
{
    std::vector<int> ids(static_cast<std::size_t>(processes));
    ids[static_cast<std::size_t>(me)] = getpid();
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, ids.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (const int id : ids)
        CHECK(id == ids[0]);
}

// All others ask for a mutex while process 0 holds it.
void take_in_turn()
{
    if (me == 0)
        ARMCI_Lock(0, 0);
    ARMCI_Barrier();
    if (me == 0)
        usleep(50'000);
    else
        ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
}

// A counter that only a mutex guards, and one that read-modify-writes count.
void count(const std::vector<void*>& memory)
{
    constexpr int rounds = 200;
    for (int owner = 0; owner < processes; ++owner)
        for (int round = 0; round < rounds; ++round) {
            long value = 0;
            ARMCI_Lock(0, owner);
            ARMCI_Get(memory[static_cast<std::size_t>(owner)], &value, sizeof value, owner);
            ++value;
            ARMCI_Put(&value, memory[static_cast<std::size_t>(owner)], sizeof value, owner);
            ARMCI_Unlock(0, owner);
            CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value,
                            static_cast<long*>(memory[static_cast<std::size_t>(owner)]) + 1, 1, owner) == 0);
        }
    ARMCI_Barrier();
    const long* const mine = static_cast<long*>(memory[static_cast<std::size_t>(me)]);
    CHECK(mine[0] == static_cast<long>(rounds) * processes);
    CHECK(mine[1] == static_cast<long>(rounds) * processes);
}

// Short messages and long ones, which the MPI libraries send by other ways.
void talk()
{
    char plus[] = "+";
    for (const int elements : {1, 100'000}) {
        std::vector<double> data(static_cast<std::size_t>(elements), 1.0);
        armci_msg_dgop(data.data(), elements, plus);
        CHECK(data.front() == processes && data.back() == processes);
        const int bytes = elements * static_cast<int>(sizeof(double));
        std::vector<double> sent(data.size(), me);
        armci_msg_bcast(sent.data(), bytes, processes - 1);
        CHECK(sent.front() == processes - 1 && sent.back() == processes - 1);
        if (me == 0)
            armci_msg_snd(1, data.data(), bytes, 1);
        if (me == 1)
            armci_msg_rcv(1, sent.data(), bytes, nullptr, 0);
        CHECK(me != 1 || std::memcmp(data.data(), sent.data(), static_cast<std::size_t>(bytes)) == 0);
    }
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    compare_ids();
    CHECK(ARMCI_Init() == 0);
    std::vector<void*> memory(static_cast<std::size_t>(processes));
    CHECK(ARMCI_Malloc(memory.data(), 2 * sizeof(long)) == 0);
    std::memset(memory[static_cast<std::size_t>(me)], 0, 2 * sizeof(long));
    CHECK(ARMCI_Create_mutexes(1) == 0);
    ARMCI_Barrier();
    take_in_turn();
    count(memory);
    talk();
    CHECK(ARMCI_Destroy_mutexes() == 0);
    CHECK(ARMCI_Free(memory[static_cast<std::size_t>(me)]) == 0);
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
    return 0;
}
