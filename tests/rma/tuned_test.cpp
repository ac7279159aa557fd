// A tune file (ARMCI_TUNE_FILE) changes the ways of strided and vector calls, and nothing that they do. The
// ways are told by counting MPI's operations.
#include "armci/base/cost_model.hpp"
#include "gmr/network/rma.hpp"
#include "tests/rma/strided_checker.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace armci_test {
namespace {

// Not where MPI is not good at derived types, whatever a file says. Known once the library has started.
bool types()
{
    return armci::gmr::rma::joins_blocks();
}

constexpr std::array strided_methods{"direct", "packed", "segments", "spans", "iov"};
constexpr std::array vector_methods{"direct", "batched", "consrv"};

std::string text_of(const std::string& cheap_strided, const std::string& cheap_vector)
{
    const armci::cost::Owner me = armci::cost::running();
    std::string text = "armci-rma tune file 1\nlibrary " + me.library + "\nmpi " + me.mpi + "\n";
    const auto add = [&](const char* call, const std::string& method, const std::string& cheap) {
        for (const char* operation : {"put", "get", "acc"})
            for (const char* path : {"network", "mpi"})
                text += std::string(call) + " " + operation + " " + method + " " + path + " bytes 0 max " +
                        (method == cheap ? "1" : "2") + " 0 0\n";
    };
    for (const char* method : strided_methods)
        add("strided", method, cheap_strided);
    for (const char* method : vector_methods)
        add("vector", method, cheap_vector);
    return text;
}

// From ARMCI_Init to ARMCI_Finalize with a tune file that only process 0 has.
class Tuned {
public:
    explicit Tuned(const std::string& text)
    {
        if (rank() == 0) {
            const int file = mkstemp(path_);
            EXPECT_GE(file, 0);
            EXPECT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
            close(file);
            setenv("ARMCI_TUNE_FILE", path_, 1);
        }
        EXPECT_EQ(0, ARMCI_Init());
        if (rank() == 0)
            unlink(path_);
    }
    ~Tuned()
    {
        EXPECT_EQ(0, ARMCI_Finalize());
        unsetenv("ARMCI_TUNE_FILE");
    }
    Tuned(const Tuned&) = delete;
    Tuned& operator=(const Tuned&) = delete;

private:
    char path_[32] = "/tmp/tuned_test.XXXXXX";
};

// Operations that MPI is given while `act` runs.
template <class Act>
long moved(Act act)
{
    pmpi::reset();
    act();
    long sum = 0;
    for (const char* name : {"MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Rput",
                             "MPI_Rget", "MPI_Raccumulate", "MPI_Rget_accumulate"})
        sum += pmpi::count(name);
    return sum;
}

class Calls {
public:
    static constexpr int segment = 256;
    static constexpr int count = 8;

    long put_strided()
    {
        return moved([&] { ARMCI_PutS(here_.data(), near_, region_.of(to_), far_, counts_, 1, to_); });
    }
    long get_strided()
    {
        return moved([&] { ARMCI_GetS(region_.of(to_), far_, here_.data(), near_, counts_, 1, to_); });
    }
    long put_vector()
    {
        std::array<void*, count> from{};
        std::array<void*, count> into{};
        for (int i = 0; i < count; ++i) {
            from[static_cast<std::size_t>(i)] = here_.data() + i * segment;
            into[static_cast<std::size_t>(i)] = region_.of(to_, 2L * i * segment);
        }
        armci_giov_t out{from.data(), into.data(), segment, count};
        return moved([&] { ARMCI_PutV(&out, 1, to_); });
    }

private:
    Region region_{2L * count * segment};
    int to_ = neighbour();
    int near_[1] = {segment};
    int far_[1] = {2 * segment};
    int counts_[2] = {segment, count};
    std::vector<std::byte> here_ = std::vector<std::byte>(std::size_t{count} * segment);
};

// Only where the neighbour is reached through MPI.
bool goes_through_mpi()
{
    return size() > 1 && (!ARMCI_Same_node(neighbour()) || setting("ARMCI_FORCE_MPI") == "1");
}

TEST(Tuned, the_cheapest_method_is_taken)
{
    struct Case {
        const char* strided;
        const char* vector;
        long put_strided, get_strided, put_vector;
    };
    {
        const Tuned first(text_of("direct", "direct"));
        if (!goes_through_mpi())
            GTEST_SKIP() << "the neighbour is on this node";
    }
    const long one = types() ? 1 : Calls::count;
    const long each = Calls::count;
    // Where MPI does not join segments, gets of the vector call and of spans are one all the same.
    const auto gets_one = [](const std::string& strided) {
        return strided == "iov" ? armci::gmr::rma::gets_by_spans() : !types() && strided != "segments";
    };
    for (const Case& c :
         {Case{"direct", "direct", one, one, one}, Case{"packed", "direct", one, one, one},
          Case{"spans", "direct", one, 1, one}, Case{"segments", "direct", each, each, one},
          Case{"segments", "batched", each, each, each}, Case{"iov", "direct", one, one, one},
          Case{"iov", "batched", each, each, each}, Case{"direct", "batched", one, one, each}}) {
        const Tuned life(text_of(c.strided, c.vector));
        Calls calls;
        const std::string what = std::string(c.strided) + ", " + c.vector;
        EXPECT_EQ(calls.put_strided(), c.put_strided) << what;
        EXPECT_EQ(calls.get_strided(), gets_one(c.strided) ? 1 : c.get_strided) << what;
        EXPECT_EQ(calls.put_vector(), c.put_vector) << what;
    }
}

TEST(Tuned, a_life_without_a_file_goes_by_the_rule_again)
{
    {
        const Tuned life(text_of("segments", "batched"));
        if (!goes_through_mpi())
            GTEST_SKIP() << "the neighbour is on this node";
        EXPECT_EQ(Calls().put_strided(), Calls::count);
    }
    ASSERT_EQ(0, ARMCI_Init());
    EXPECT_EQ(Calls().put_strided(), types() ? 1 : Calls::count);
    ASSERT_EQ(0, ARMCI_Finalize());
}

TEST(Tuned, results_are_right_by_every_choice)
{
    for (const char* for_strided : strided_methods)
        for (const char* for_vector : vector_methods) {
            const Tuned life(text_of(for_strided, for_vector));
            Region region(StridedChecker::area * size());
            auto random = rank_generator(40);
            StridedChecker checker(region.of(neighbour(), rank() * StridedChecker::area), neighbour());
            for (int levels = 1; levels <= 4; ++levels)
                for (int i = 0; i < 4; ++i) {
                    checker.put(random_case(random, levels, 1));
                    checker.get(random_case(random, levels, 1));
                    checker.accumulate<double>(random_case(random, levels, sizeof(double)), i);
                }
        }
}

} // namespace
} // namespace armci_test
