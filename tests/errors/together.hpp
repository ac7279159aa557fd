// How a collective call is seen to be refused: an error on all ranks, and one message among them.
#pragma once

#include "tests/errors/refusal.hpp"
#include "tests/support/mpi_test.hpp"

namespace armci_test {

// `text` is what this rank wrote. All ranks call this.
inline void expect_one_message(const std::string& text, std::initializer_list<std::string> fragments)
{
    int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(1, lines) << "messages of all ranks; of this one: " << text;
    if (text.empty())
        return;
    for (const std::string& fragment : fragments)
        EXPECT_NE(std::string::npos, text.find(fragment)) << fragment << ": " << text;
}

template <class Call>
void expect_refused_on_all(std::initializer_list<std::string> fragments, Call call)
{
    std::string text;
    EXPECT_NE(0, call_and_listen(call, text));
    expect_one_message(text, fragments);
}

// An allocation, puts round a ring, and the free.
inline void expect_memory_works(long bytes = 64)
{
    std::vector<void*> bases(size());
    ASSERT_EQ(0, ARMCI_Malloc(bases.data(), bytes));
    const int right = (rank() + 1) % size(), left = (rank() + size() - 1) % size();
    char* const end = static_cast<char*>(bases[right]) + bytes - sizeof(int);
    ASSERT_EQ(0, ARMCI_PutValueInt(1000 + rank(), end, right));
    ARMCI_Barrier();
    EXPECT_EQ(1000 + left,
              ARMCI_GetValueInt(static_cast<char*>(bases[rank()]) + bytes - sizeof(int), rank()));
    ARMCI_Barrier();
    EXPECT_EQ(0, ARMCI_Free(bases[rank()]));
}

} // namespace armci_test
