// All ranks accumulate into the same patch; small integers make every sum exact, in floating point too.
#include "tests/ga/array.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <complex>

template <class T>
class Accumulate : public testing::Test {
};

using Types = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Accumulate, Types);

namespace {

template <class T>
T small_number(long n)
{
    return T(static_cast<int>(n % 7) - 3);
}

} // namespace

TYPED_TEST(Accumulate, all_ranks_on_one_patch)
{
    using T = TypeParam;
    const int ranks = GA_Nnodes(), rounds = 20;
    const T scale = T(2);
    ga::Array a(ga::type_code<T>, {60, 50});
    GA_Zero(a.handle());

    // A patch that all owners have a part of, from a buffer wider than the patch.
    const ga::Patch patch{{3, 5}, {55, 47}};
    ga::Buffer<T> mine(patch, 3, T(99));
    ga::Index i = patch.lo;
    do
        mine[i] = small_number<T>(i[0] + i[1] + GA_Nodeid());
    while (ga::next(i, patch));
    for (int round = 0; round < rounds; ++round)
        ga::accumulate(a, mine, scale);
    GA_Sync();

    const std::vector<T> all = ga::get_all<T>(a);
    int wrong = 0;
    const ga::Patch everything = ga::whole(a.dims());
    i = everything.lo;
    do {
        T sum = T(0);
        if (patch.contains(i))
            for (int r = 0; r < ranks; ++r)
                sum += small_number<T>(i[0] + i[1] + r) * scale * T(rounds);
        wrong += all[ga::position(i, a.dims())] != sum;
    } while (ga::next(i, everything));
    EXPECT_EQ(wrong, 0);
    GA_Sync();
}

// Every rank hits small boxes at random; afterwards the array must hold as much as was added.
TYPED_TEST(Accumulate, random_patches_add_up)
{
    using T = TypeParam;
    ga::Array a(ga::type_code<T>, {9, 8, 7});
    GA_Zero(a.handle());
    std::vector<std::vector<ga::Patch>> of_rank(GA_Nnodes());
    for (int r = 0; r < GA_Nnodes(); ++r) {
        auto generator = armci_test::common_generator(r);
        for (int n = 0; n < 200; ++n)
            of_rank[r].push_back(ga::random_patch(a.dims(), generator, 4));
    }
    for (const ga::Patch& patch : of_rank[GA_Nodeid()]) {
        ga::Buffer<T> ones(patch, 1, T(1));
        ga::accumulate(a, ones, T(GA_Nodeid() + 1));
    }
    GA_Sync();

    std::vector<T> expected(9 * 8 * 7, T(0));
    for (int r = 0; r < GA_Nnodes(); ++r)
        for (const ga::Patch& patch : of_rank[r]) {
            ga::Index i = patch.lo;
            do
                expected[ga::position(i, a.dims())] += T(r + 1);
            while (ga::next(i, patch));
        }
    EXPECT_EQ(ga::get_all<T>(a), expected);
    GA_Sync();
}
