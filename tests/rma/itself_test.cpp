// The same memory as source and as target: its bytes stay, and sums double. MPI forbids it, the library
// copies.
#include "tests/rma/region.hpp"

#include <array>
#include <vector>

namespace armci_test {
namespace {

constexpr int rows = 12;
constexpr int row = 5;    // doubles moved of each
constexpr int pitch = 16; // doubles from one to the next

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
