// Direct access to one's own block mixed with puts, gets and accumulates of others, a sync between.
#include "tests/ga/array.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

namespace {

const ga::Index dims{53, 47};

// A process's own block in place.
class OwnBlock {
public:
    explicit OwnBlock(const ga::Array& a) : array_(a), patch_(a.owned_by(GA_Nodeid()))
    {
        if (!patch_.empty())
            NGA_Access(a.handle(), patch_.lo.data(), patch_.hi.data(), &data_, &ld_);
    }
    ~OwnBlock()
    {
        if (!patch_.empty())
            NGA_Release_update(array_.handle(), patch_.lo.data(), patch_.hi.data());
    }
    OwnBlock(const OwnBlock&) = delete;
    OwnBlock& operator=(const OwnBlock&) = delete;

    template <class F>
    void for_each(F f)
    {
        if (patch_.empty())
            return;
        ga::Index i = patch_.lo;
        do
            f(i, data_[static_cast<std::size_t>(i[0] - patch_.lo[0]) * ld_ + (i[1] - patch_.lo[1])]);
        while (ga::next(i, patch_));
    }

private:
    const ga::Array& array_;
    ga::Patch patch_;
    double* data_ = nullptr;
    int ld_ = 0;
};

} // namespace

TEST(Access, stores_and_remote_puts_take_turns)
{
    ga::Array a(C_DBL, dims);
    GA_Zero(a.handle());
    std::vector<double> copy(dims[0] * dims[1], 0.0);
    auto generator = armci_test::common_generator();
    for (int round = 0; round < 40; ++round) {
        // Owners change all they have, in place.
        OwnBlock(a).for_each([](const ga::Index&, double& x) { x = 2 * x + 1; });
        for (double& x : copy)
            x = 2 * x + 1;
        GA_Sync();

        // One rank writes a patch over everybody's blocks, then all add to another.
        const ga::Patch written = ga::random_patch(dims, generator);
        const ga::Patch added = ga::random_patch(dims, generator);
        if (GA_Nodeid() == round % GA_Nnodes()) {
            ga::Buffer<double> values(written, 0, round);
            ga::put(a, values);
        }
        GA_Sync();
        ga::Buffer<double> ones(added, 1, 1.0);
        ga::accumulate(a, ones, 1.0);
        GA_Sync();
        const ga::Patch everything = ga::whole(dims);
        ga::Index i = everything.lo;
        do {
            double& x = copy[ga::position(i, dims)];
            if (written.contains(i))
                x = round;
            if (added.contains(i))
                x += GA_Nnodes();
            x = x > 1e6 ? 0 : x;
        } while (ga::next(i, everything));

        int wrong = 0;
        OwnBlock(a).for_each([&](const ga::Index& at, double& x) {
            x = x > 1e6 ? 0 : x;
            wrong += x != copy[ga::position(at, dims)];
        });
        ASSERT_EQ(wrong, 0) << "round " << round;
    }
    GA_Sync();
    EXPECT_TRUE(ga::get_all<double>(a) == copy);
    GA_Sync();
}

// What an owner stores in place, others get after a sync.
TEST(Access, others_get_what_was_stored)
{
    ga::Array a(C_DBL, dims);
    for (int round = 1; round <= 20; ++round) {
        OwnBlock(a).for_each([&](const ga::Index& i, double& x) {
            x = round * 10000.0 + static_cast<double>(ga::position(i, dims));
        });
        GA_Sync();
        const std::vector<double> all = ga::get_all<double>(a);
        int wrong = 0;
        for (std::size_t n = 0; n < all.size(); ++n)
            wrong += all[n] != round * 10000.0 + static_cast<double>(n);
        ASSERT_EQ(wrong, 0) << "round " << round;
        GA_Sync();
    }
}

// Elements in place while others accumulate into the rest of the same block.
TEST(Access, stores_beside_remote_accumulates)
{
    ga::Array a(C_DBL, dims);
    GA_Zero(a.handle());
    for (int round = 1; round <= 20; ++round) {
        ga::Buffer<double> ones(ga::Patch{{0, 0}, {dims[0] - 1, 0}}, 0, 1.0);
        ga::accumulate(a, ones, 1.0);
        OwnBlock(a).for_each([&](const ga::Index& i, double& x) {
            if (i[1] != 0)
                x = round;
        });
    }
    GA_Sync();
    const std::vector<double> all = ga::get_all<double>(a);
    int wrong = 0;
    for (std::size_t n = 0; n < all.size(); ++n)
        wrong += all[n] != (n % dims[1] == 0 ? 20.0 * GA_Nnodes() : 20.0);
    EXPECT_EQ(wrong, 0);
    GA_Sync();
}
