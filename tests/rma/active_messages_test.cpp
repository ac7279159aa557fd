// Accumulates and read-modify-writes on other nodes' memory go as messages to a thread there: no MPI call
// carries them, the target may be anywhere, and my own operations keep their order.
#include "gmr/active_messages/active_messages.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armcix.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace armci_test {
namespace {

// The first two ranks are one node, the others another.
class ActiveMessages : public testing::Test {
protected:
    static constexpr long bytes = 256 * 1024;
    static constexpr long count_at = bytes;
    Region region{bytes + 64};
    const int mate = rank() ^ 1;
    const int far = (rank() + 2) % 4;

    void SetUp() override
    {
        ASSERT_EQ(4, size());
        ASSERT_TRUE(ARMCI_Same_node(mate) && !ARMCI_Same_node(far));
        ASSERT_NE(nullptr, armci::gmr::ActiveMessages::the_one());
        std::fill_n(region.mine(), bytes + 64, std::byte{0});
        ARMCI_Barrier();
    }

    void add(int process, double value, int elements = 64)
    {
        double one = 1;
        const std::vector<double> terms(static_cast<std::size_t>(elements), value);
        ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_DBL, &one, const_cast<double*>(terms.data()), region.of(process),
                               elements * static_cast<int>(sizeof(double)), process));
    }
    long draw(int process)
    {
        long number = -1;
        EXPECT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(process, count_at), 1, process));
        return number;
    }
    double got(int process, long element = 0)
    {
        double value = -1;
        EXPECT_EQ(0, ARMCI_Get(region.of(process, element * 8), &value, sizeof value, process));
        return value;
    }
    double mine(long element = 0) { return std::atomic_ref(region.as<double>(rank())[element]).load(); }
};

TEST_F(ActiveMessages, no_mpi_call_carries_them)
{
    pmpi::reset();
    add(far, 1);
    add(mate, 1);
    add(rank(), 1);
    draw(far);
    draw(mate);
    ARMCI_AllFence();
    EXPECT_EQ(0, pmpi::rma()) << pmpi::report();
    ARMCI_Barrier();
    EXPECT_EQ(3, mine());
    EXPECT_EQ(2, *region.as<long>(rank(), count_at));
}

// Not at the start, nor for any memory, mutex or notification.
TEST(ActiveMessagesAlone, the_library_makes_no_window)
{
    ARMCI_Finalize();
    pmpi::reset();
    ASSERT_EQ(0, ARMCI_Init());
    {
        Region region(96L << 20); // more than the first window would cover
        const int next = (rank() + 1) % size();
        ASSERT_EQ(0, ARMCI_Create_mutexes(1));
        ARMCI_Lock(0, next);
        int value = rank();
        ASSERT_EQ(0, ARMCI_Put(&value, region.of(next), sizeof value, next));
        ARMCI_Unlock(0, next);
        int sent = 0;
        armci_notify(next);
        armci_notify_wait((rank() + size() - 1) % size(), &sent);
        EXPECT_EQ((rank() + size() - 1) % size(), *region.as<int>(rank()));
        ASSERT_EQ(0, ARMCI_Destroy_mutexes());
    }
    EXPECT_EQ(0, pmpi::rma()) << pmpi::report();
}

// The pooled area, an eighth of a slice, takes one of these.
TEST(ActiveMessagesAlone, a_group_region_beyond_the_pooled_area_makes_no_window)
{
    ARMCI_Finalize();
    ASSERT_EQ(0, setenv("ARMCI_ARENA_SIZE", "256M", 1));
    ASSERT_EQ(0, ARMCI_Init());
    pmpi::reset();
    ARMCI_Group world, group;
    ARMCI_Group_get_world(&world);
    ASSERT_EQ(0, ARMCIX_Group_dup(&world, &group));
    constexpr long bytes = 20L << 20;
    const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
    std::vector<std::vector<void*>> regions(2, std::vector<void*>(4));
    for (std::vector<void*>& region : regions) {
        ASSERT_EQ(0, ARMCI_Malloc_group(region.data(), bytes, &group));
        int value = rank();
        void* const last = static_cast<char*>(region[static_cast<std::size_t>(next)]) + bytes - sizeof value;
        ASSERT_EQ(0, ARMCI_Put(&value, last, sizeof value, next));
    }
    ARMCI_Barrier();
    for (std::vector<void*>& region : regions) {
        char* const mine = static_cast<char*>(region[static_cast<std::size_t>(rank())]);
        EXPECT_EQ(before, *reinterpret_cast<int*>(mine + bytes - sizeof(int)));
        ASSERT_EQ(0, ARMCI_Free_group(mine, &group));
    }
    ARMCI_Group_free(&group);
    EXPECT_EQ(0, pmpi::rma()) << pmpi::report();
    ARMCI_Finalize();
    unsetenv("ARMCI_ARENA_SIZE");
    ASSERT_EQ(0, ARMCI_Init());
}

TEST_F(ActiveMessages, my_own_operations_keep_their_order)
{
    for (int round = 1; round <= 20; ++round) {
        double value = round;
        ASSERT_EQ(0, ARMCI_Put(&value, region.of(far), sizeof value, far));
        add(far, 0.5);
        EXPECT_EQ(round + 0.5, got(far));
        add(far, 0.25);
        add(far, 0.25);
        EXPECT_EQ(round + 1, got(far));
        value = -round;
        add(far, 8);
        ASSERT_EQ(0, ARMCI_Put(&value, region.of(far), sizeof value, far)); // behind the sum
        EXPECT_EQ(-round, got(far));
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        double before = 0;
        ASSERT_EQ(0, ARMCI_NbGet(region.of(far), &before, sizeof before, far, &handle));
        add(far, 1); // not in front of the get
        ASSERT_EQ(0, ARMCI_Wait(&handle));
        EXPECT_EQ(-round, before);
    }
    ARMCI_Barrier();
}

// Puts that MPI has to do meet a read-modify-write of their word.
TEST_F(ActiveMessages, words_keep_their_order_too)
{
    for (long round = 1; round <= 20; ++round) {
        long value = 100 * round;
        ASSERT_EQ(0, ARMCI_Put(&value, region.of(far, count_at), sizeof value, far));
        EXPECT_EQ(100 * round, draw(far));
        long old = 7;
        ASSERT_EQ(0, ARMCI_Rmw(ARMCI_SWAP_LONG, &old, region.of(far, count_at), 0, far));
        EXPECT_EQ(100 * round + 1, old);
        int number = -1;
        ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &number, region.of(far, count_at), -2, far));
        EXPECT_EQ(7, number);
    }
    ARMCI_Barrier();
}

// The target is in a call of MPI until its caller's operations are done.
TEST_F(ActiveMessages, a_target_that_blocks_in_mpi_answers)
{
    if (rank() < 2) {
        int done = 0;
        MPI_Recv(&done, 1, MPI_INT, far, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(10, mine());
        EXPECT_EQ(10, *region.as<long>(rank(), count_at));
    } else {
        for (int i = 0; i < 10; ++i) {
            add(far, 1);
            EXPECT_EQ(i, draw(far));
        }
        ARMCI_Fence(far);
        const int done = 1;
        MPI_Send(&done, 1, MPI_INT, far, 7, MPI_COMM_WORLD);
    }
    ARMCI_Barrier();
}

// More than the connection and the buffers hold.
TEST_F(ActiveMessages, many_are_under_way_at_once)
{
    constexpr int rounds = 400;
    const int elements = static_cast<int>(bytes / 8);
    for (int round = 0; round < rounds / 10; ++round)
        add(far, 1, elements);
    for (int round = 0; round < rounds; ++round)
        add(far, 1, 1);
    ARMCI_Barrier();
    EXPECT_EQ(rounds / 10 + rounds, mine(0));
    EXPECT_EQ(rounds / 10, mine(1));
    EXPECT_EQ(rounds / 10, mine(elements - 1));
}

TEST_F(ActiveMessages, no_sum_and_no_number_is_lost)
{
    constexpr int rounds = 200;
    std::vector<long> drawn;
    for (int round = 0; round < rounds; ++round) {
        add(round % size(), 1);
        drawn.push_back(draw(0));
        if (round % 50 == rank())
            ARMCI_AllFence();
    }
    ARMCI_Barrier();
    EXPECT_EQ(rounds, mine()); // a quarter of what four processes do
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    std::vector<long> all(static_cast<std::size_t>(4 * rounds));
    MPI_Allgather(drawn.data(), rounds, MPI_LONG, all.data(), rounds, MPI_LONG, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(static_cast<long>(i), all[i]);
}

template <class T>
class ActiveMessagesOf : public ActiveMessages {
protected:
    static constexpr int type()
    {
        if (std::is_same_v<T, int>)
            return ARMCI_ACC_INT;
        if (std::is_same_v<T, long>)
            return ARMCI_ACC_LNG;
        if (std::is_same_v<T, float>)
            return ARMCI_ACC_FLT;
        if (std::is_same_v<T, double>)
            return ARMCI_ACC_DBL;
        return std::is_same_v<T, std::complex<float>> ? ARMCI_ACC_CPL : ARMCI_ACC_DCP;
    }
    static T scale() { return static_cast<T>(3); }
    // Of the elements of the patch below, with so many elements to a row.
    void expect_patch(const T* rows, int columns, int row_length, int count)
    {
        for (int row = 0; row < count; ++row)
            for (int column = 0; column < row_length; ++column)
                ASSERT_EQ(column < columns ? static_cast<T>(3 * (row + column)) : T{},
                          rows[row * row_length + column])
                    << "row " << row << ", column " << column;
    }
};

using Types = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ActiveMessagesOf, Types);

// A patch of rows that are longer, and shorter, than a message, from the middle of an array.
TYPED_TEST(ActiveMessagesOf, patches_arrive_whole)
{
    using T = TypeParam;
    T factor = this->scale();
    struct Patch {
        int columns, rows;
    };
    const int most = static_cast<int>(this->bytes / static_cast<long>(sizeof(T)));
    for (const auto [columns, rows] : {Patch{1, 7}, Patch{5, 60}, Patch{700, 11}, Patch{most / 3 - 1, 3}}) {
        const int row_length = columns + 1;
        std::vector<T> terms(static_cast<std::size_t>(rows * (columns + 2)));
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
                terms[static_cast<std::size_t>(row * (columns + 2) + column)] = static_cast<T>(row + column);
        int from = (columns + 2) * static_cast<int>(sizeof(T));
        int to = row_length * static_cast<int>(sizeof(T));
        int count[] = {columns * static_cast<int>(sizeof(T)), rows};
        ASSERT_EQ(0, ARMCI_AccS(this->type(), &factor, terms.data(), &from, this->region.of(this->far), &to,
                                count, 1, this->far));
        std::vector<T> arrived(static_cast<std::size_t>(rows * row_length));
        ASSERT_EQ(0, ARMCI_Get(this->region.of(this->far), arrived.data(),
                               static_cast<int>((arrived.size() - 1) * sizeof(T)), this->far));
        this->expect_patch(arrived.data(), columns, row_length, rows);
        ARMCI_Barrier();
        std::fill_n(this->region.mine(), this->bytes, std::byte{0});
        ARMCI_Barrier();
    }
}

// Segments at places of any order and alignment, as a vector.
TYPED_TEST(ActiveMessagesOf, scattered_segments_arrive_whole)
{
    using T = TypeParam;
    constexpr int segments = 500;
    constexpr int elements = 3;
    constexpr long apart = (elements + 1) * static_cast<long>(sizeof(T)) + 1; // misaligned
    T factor = this->scale();
    std::vector<T> terms(segments * elements);
    for (std::size_t i = 0; i < terms.size(); ++i)
        terms[i] = static_cast<T>(static_cast<int>(i % 97));
    std::vector<void*> from;
    std::vector<void*> to;
    for (int i = 0; i < segments; ++i) {
        from.push_back(&terms[static_cast<std::size_t>(i * elements)]);
        to.push_back(this->region.of(this->far, (i * 7 % segments) * apart));
    }
    armci_giov_t vector{from.data(), to.data(), elements * static_cast<int>(sizeof(T)), segments};
    ASSERT_EQ(0, ARMCI_AccV(this->type(), &factor, &vector, 1, this->far));
    ARMCI_Barrier();
    for (int i = 0; i < segments; ++i)
        for (int j = 0; j < elements; ++j) {
            T sum{};
            std::memcpy(&sum, this->region.mine((i * 7 % segments) * apart) + j * sizeof(T), sizeof sum);
            ASSERT_EQ(static_cast<T>(3 * ((i * elements + j) % 97)), sum) << "segment " << i;
        }
}

} // namespace
} // namespace armci_test
