// Patches of arrays of 1 to 7 dimensions against a serial copy that every rank keeps.
#include "tests/ga/array.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

namespace {

ga::Index dims_of(int dimensions)
{
    switch (dimensions) {
    case 1:
        return {5003};
    case 2:
        return {71, 67};
    case 3:
        return {19, 17, 13};
    case 4:
        return {11, 7, 8, 9};
    case 5:
        return {7, 5, 6, 4, 5};
    case 6:
        return {5, 4, 3, 5, 4, 3};
    default:
        return {4, 3, 5, 2, 3, 4, 3};
    }
}

template <class T>
class Checked {
public:
    explicit Checked(const ga::Index& dims)
        : array_(ga::type_code<T>, dims), copy_(ga::whole(dims).elements(), T(0))
    {
        GA_Zero(array_.handle());
    }

    // One rank writes; all know what. `skip` (all ones for a plain put) leaves out elements in between.
    void put(const ga::Patch& patch, int writer, T first, const ga::Index& skip)
    {
        std::vector<std::size_t> places;
        const ga::Index& dims = array_.dims();
        ga::Patch picked = patch; // counted in steps of skip
        for (std::size_t d = 0; d < dims.size(); ++d) {
            picked.lo[d] = 0;
            picked.hi[d] = (patch.extent(d) - 1) / skip[d];
        }
        ga::Buffer<T> source(picked, 2, T(-1));
        T value = first;
        ga::Index i = picked.lo;
        do {
            ga::Index at = i;
            for (std::size_t d = 0; d < dims.size(); ++d)
                at[d] = patch.lo[d] + i[d] * skip[d];
            source[i] = value;
            copy_[ga::position(at, dims)] = value;
            value += T(1);
        } while (ga::next(i, picked));
        if (GA_Nodeid() == writer)
            move(patch, skip, source, NGA_Put, NGA_Strided_put);
    }

    // Every rank reads what it likes; what lies between the rows of its buffer must stay as it was.
    void check(const ga::Patch& patch, const ga::Index& skip)
    {
        const ga::Index& dims = array_.dims();
        ga::Patch picked = patch;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            picked.lo[d] = 0;
            picked.hi[d] = (patch.extent(d) - 1) / skip[d];
        }
        ga::Buffer<T> read(picked, 1, T(-7));
        ga::Buffer<T> expected(picked, 1, T(-7));
        ga::Index i = picked.lo;
        do {
            ga::Index at = i;
            for (std::size_t d = 0; d < dims.size(); ++d)
                at[d] = patch.lo[d] + i[d] * skip[d];
            expected[i] = copy_[ga::position(at, dims)];
        } while (ga::next(i, picked));
        move(patch, skip, read, NGA_Get, NGA_Strided_get);
        EXPECT_TRUE(read.data == expected.data) << "patch of " << picked.elements() << " elements";
    }

    ga::Patch owned_by(int process) const { return array_.owned_by(process); }

private:
    void move(ga::Patch patch, ga::Index skip, ga::Buffer<T>& buffer,
              void (*plain)(int, int*, int*, void*, int*),
              void (*strided)(int, int*, int*, int*, void*, int*))
    {
        bool all_ones = true;
        for (int s : skip)
            all_ones = all_ones && s == 1;
        if (all_ones)
            plain(array_.handle(), patch.lo.data(), patch.hi.data(), buffer.data.data(), buffer.ld.data());
        else
            strided(array_.handle(), patch.lo.data(), patch.hi.data(), skip.data(), buffer.data.data(),
                    buffer.ld.data());
    }

    ga::Array array_;
    std::vector<T> copy_;
};

template <class T>
void random_puts_and_gets(int dimensions, bool with_skips)
{
    const ga::Index dims = dims_of(dimensions);
    Checked<T> array(dims);
    auto common = armci_test::common_generator(dimensions);
    auto own = armci_test::rank_generator(dimensions);
    // With skips, patches stay inside one owner's block: GA 5.8 misplaces elements of larger ones.
    const auto pick = [&](std::mt19937_64& generator) {
        ga::Patch block = ga::whole(dims);
        if (with_skips) {
            do
                block = array.owned_by(static_cast<int>(generator() % GA_Nnodes()));
            while (block.empty());
        }
        ga::Patch p = ga::random_patch(block.extents(), generator);
        for (std::size_t d = 0; d < dims.size(); ++d) {
            p.lo[d] += block.lo[d];
            p.hi[d] += block.lo[d];
        }
        return p;
    };
    const auto skip = [&](std::mt19937_64& generator) {
        ga::Index s(dims.size(), 1);
        if (with_skips)
            for (int& n : s)
                n = 1 + static_cast<int>(generator() % 3);
        return s;
    };
    for (int round = 0; round < 12; ++round) {
        for (int writer = 0; writer < GA_Nnodes(); ++writer) {
            const ga::Patch target = pick(common);
            array.put(target, writer, T(1000 * round + writer), skip(common));
            // Later puts may overlap this one.
            GA_Sync();
        }
        for (int reads = 0; reads < 3; ++reads) {
            const ga::Patch source = pick(own);
            array.check(source, skip(own));
        }
        GA_Sync();
    }
    array.check(ga::whole(dims), ga::Index(dims.size(), 1));
    GA_Sync();
}

} // namespace

class Dimensions : public testing::TestWithParam<int> {};

TEST_P(Dimensions, patches_of_doubles)
{
    random_puts_and_gets<double>(GetParam(), false);
}

TEST_P(Dimensions, patches_of_ints)
{
    random_puts_and_gets<int>(GetParam(), false);
}

TEST_P(Dimensions, patches_with_skips)
{
    random_puts_and_gets<double>(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(OneToSeven, Dimensions, testing::Range(1, 8));
