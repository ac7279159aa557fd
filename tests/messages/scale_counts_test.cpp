// What tools/scale says of messages and bytes of collective calls, against those that a job sends.
#include "tests/messages/scope.hpp"
#include "tools/scale/collectives.hpp"

#include <mpi.h>

#include <array>
#include <atomic>

namespace {

std::atomic<long> messages_sent{0};
std::atomic<long> bytes_sent{0};

} // namespace

// Of this program and of the library in it.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request)
{
    int each = 0;
    PMPI_Type_size(type, &each);
    ++messages_sent;
    bytes_sent += static_cast<long>(count) * each;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace armci_test {
namespace {

namespace scale = armci::scale;
using armci::scale::Messages;
using armci::scale::Shape;

class ScaleCounts : public testing::Test {
protected:
    const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
    // The count of a node does not matter to messages between nodes.
    const Shape shape{nodes, size() / nodes};

    template <class Act>
    void expect(const char* what, const Messages& wanted, Act act)
    {
        quiet_barrier();
        messages_sent = bytes_sent = 0;
        act();
        std::array<long, 2> all{messages_sent, bytes_sent};
        MPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(all[0], wanted.all) << what;
        EXPECT_EQ(all[1], wanted.bytes) << what;
    }
};

TEST_F(ScaleCounts, are_those_of_a_job)
{
    std::vector<void*> bases(static_cast<std::size_t>(size()));
    const auto mine = static_cast<std::size_t>(rank());
    for (int round = 0; round < 3; ++round) {
        expect("ARMCI_Barrier", scale::barrier(shape), [] { ARMCI_Barrier(); });
        expect("ARMCI_Malloc", scale::allocation(shape), [&] { ARMCI_Malloc(bases.data(), 1000); });
        expect("ARMCI_Free", scale::release(shape), [&] { ARMCI_Free(bases[mine]); });
        expect("ARMCI_AllFence", {}, [] { ARMCI_AllFence(); });
    }
    std::vector<double> x(8192);
    char plus[] = "+";
    for (const int count : {1, 1000, 8192})
        expect("armci_msg_dgop", scale::combination(shape, 8L * count),
               [&] { armci_msg_dgop(x.data(), count, plus); });
    for (const int bytes : {1, 8000, 65'536})
        expect("armci_msg_bcast", scale::broadcast(shape, bytes),
               [&] { armci_msg_bcast(x.data(), bytes, 0); });
}

} // namespace
} // namespace armci_test
