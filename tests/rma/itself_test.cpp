// Source and target meet: what is moved onto itself stays, what is moved a little aside moves as by memmove,
// and sums double. MPI forbids it; the library copies.
#include "tests/rma/region.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace armci_test {
namespace {

constexpr int rows = 12;
constexpr int row = 5;    // doubles moved of each
constexpr int pitch = 16; // doubles from one to the next
constexpr int aside = 6;  // where in a row a move begins

class Itself : public testing::Test {
protected:
    Region region{rows * pitch * static_cast<long>(sizeof(double))};
    double* const mine = reinterpret_cast<double*>(region.mine());
    std::vector<double> model = std::vector<double>(rows * pitch);
    int stride = pitch * static_cast<int>(sizeof(double));
    std::array<int, 2> count{row * static_cast<int>(sizeof(double)), rows};
    std::array<void*, rows> starts{};
    armci_giov_t segments{starts.data(), starts.data(), count[0], rows};

    Itself()
    {
        for (int i = 0; i < rows * pitch; ++i)
            model[static_cast<std::size_t>(i)] = i + rank();
        for (int i = 0; i < rows; ++i)
            starts[static_cast<std::size_t>(i)] = mine + i * pitch;
        ARMCI_Access_begin(mine);
        std::copy(model.begin(), model.end(), mine);
        ARMCI_Access_end(mine);
    }

    // The first elements of each row, moved by `by` elements.
    void move(int by, int least_row = 0, int most_row = rows)
    {
        for (int i = least_row; i < most_row; ++i) {
            double* const from = &model[static_cast<std::size_t>(i * pitch + aside)];
            std::memmove(from + by, from, row * sizeof(double));
        }
    }

    // What is moved is added `factor` times.
    void add(double factor)
    {
        for (int i = 0; i < rows * pitch; ++i)
            if (i % pitch < row)
                model[static_cast<std::size_t>(i)] *= 1 + factor;
    }

    void expect_model()
    {
        ARMCI_Fence(rank());
        std::vector<double> found(model.size());
        ASSERT_EQ(0, ARMCI_Get(mine, found.data(), static_cast<int>(found.size() * sizeof(double)), rank()));
        EXPECT_EQ(found, model);
    }
};

TEST_F(Itself, put_and_get_change_nothing)
{
    ASSERT_EQ(0, ARMCI_Put(mine, mine, count[0], rank()));
    ASSERT_EQ(0, ARMCI_Get(mine, mine, count[0], rank()));
    ASSERT_EQ(0, ARMCI_PutS(mine, &stride, mine, &stride, count.data(), 1, rank()));
    ASSERT_EQ(0, ARMCI_GetS(mine, &stride, mine, &stride, count.data(), 1, rank()));
    ASSERT_EQ(0, ARMCI_PutV(&segments, 1, rank()));
    ASSERT_EQ(0, ARMCI_GetV(&segments, 1, rank()));
    expect_model();
}

TEST_F(Itself, contiguous_moves)
{
    for (const int by : {1, -1, 4, -4}) {
        ASSERT_EQ(0, ARMCI_Put(mine + aside, mine + aside + by, count[0], rank()));
        move(by, 0, 1);
        expect_model();
        ASSERT_EQ(0, ARMCI_Get(mine + pitch + aside, mine + pitch + aside + by, count[0], rank()));
        move(by, 1, 2);
        expect_model();
    }
}

TEST_F(Itself, strided_moves)
{
    for (const int by : {1, -1, 4, -4}) {
        ASSERT_EQ(0, ARMCI_PutS(mine + aside, &stride, mine + aside + by, &stride, count.data(), 1, rank()));
        move(by);
        expect_model();
        ASSERT_EQ(0, ARMCI_GetS(mine + aside, &stride, mine + aside + by, &stride, count.data(), 1, rank()));
        move(by);
        expect_model();
    }
}

// The last segment's target is far away, so that the two sides reach over different extents.
TEST_F(Itself, moves_of_segments)
{
    for (const int by : {1, -1, 4, -4})
        for (const bool get : {false, true}) {
            std::array<void*, 3> from{mine + aside, mine + 2 * pitch + aside, mine + 4 * pitch + aside};
            std::array<void*, 3> to{mine + aside + by, mine + 2 * pitch + aside + by,
                                    mine + (rows - 1) * pitch};
            armci_giov_t moved{from.data(), to.data(), count[0], 3};
            ASSERT_EQ(0, get ? ARMCI_GetV(&moved, 1, rank()) : ARMCI_PutV(&moved, 1, rank()));
            move(by, 0, 1);
            move(by, 2, 3);
            std::copy_n(&model[4 * pitch + aside], row, &model[(rows - 1) * pitch]);
            expect_model();
        }
}

TEST_F(Itself, aggregated_moves)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (int i = 0; i < rows; ++i)
        ASSERT_EQ(0, ARMCI_NbPut(mine + i * pitch + aside, mine + i * pitch + aside + 2, count[0], rank(),
                                 &handle));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    move(2);
    expect_model();
}

TEST_F(Itself, sums_of_contiguous_memory)
{
    for (double factor : {1.0, 2.0}) {
        ASSERT_EQ(
            0, ARMCI_Acc(ARMCI_ACC_DBL, &factor, mine, mine, row * static_cast<int>(sizeof(double)), rank()));
        for (int i = 0; i < row; ++i)
            model[static_cast<std::size_t>(i)] *= 1 + factor;
        expect_model();
    }
}

TEST_F(Itself, sums_of_strided_memory)
{
    for (double factor : {1.0, 2.0}) {
        ASSERT_EQ(0,
                  ARMCI_AccS(ARMCI_ACC_DBL, &factor, mine, &stride, mine, &stride, count.data(), 1, rank()));
        add(factor);
        expect_model();
    }
}

TEST_F(Itself, sums_of_segments)
{
    for (double factor : {1.0, 2.0}) {
        ASSERT_EQ(0, ARMCI_AccV(ARMCI_ACC_DBL, &factor, &segments, 1, rank()));
        add(factor);
        expect_model();
    }
}

// A call with a handle is no exception.
TEST_F(Itself, nonblocking_calls)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    double one = 1;
    ASSERT_EQ(0, ARMCI_NbPutS(mine, &stride, mine, &stride, count.data(), 1, rank(), &handle));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    ASSERT_EQ(0, ARMCI_NbGetV(&segments, 1, rank(), &handle));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    ASSERT_EQ(
        0, ARMCI_NbAccS(ARMCI_ACC_DBL, &one, mine, &stride, mine, &stride, count.data(), 1, rank(), &handle));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    add(1);
    expect_model();
}

} // namespace
} // namespace armci_test
