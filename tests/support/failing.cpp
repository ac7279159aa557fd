// Tests that fail, each in its way; see the FAILS_WITH in CMakeLists.txt.
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <stdexcept>

using armci_test::rank;

TEST(Failing, expect)
{
    EXPECT_EQ(rank(), 0);
}

TEST(Failing, assert)
{
    ASSERT_LT(rank(), 2);
    MPI_Barrier(MPI_COMM_WORLD); // never completed
}

TEST(Failing, exception)
{
    if (rank() == 1)
        throw std::runtime_error("thrown on purpose");
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Failing, endless)
{
    if (rank() != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
