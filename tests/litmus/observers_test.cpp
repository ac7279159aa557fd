// What others may see: whoever sees what was written after a fence sees what was written before it; so do
// those who see a flag, hear a notification, leave a barrier or own a mutex next.
#include "tests/litmus/operation.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/fences.hpp"

#include <armcix.h>

#include <algorithm>
#include <atomic>
#include <deque>

namespace litmus {
namespace {

using armci_test::rank;
using armci_test::size;

// Data and flags of each rank. All ranks know the whole plan of a round from the common generator, so all
// know what everybody's data are.
class Stage {
public:
    Stage() : models_(static_cast<std::size_t>(size()), std::vector<std::byte>(Block::bytes))
    {
        std::fill_n(halves_[0].mine(), Block::half, std::byte{0});
        std::fill_n(halves_[1].mine(), Block::half, std::byte{0});
        for (long i = 0; i < flags; ++i)
            *flag(rank(), i) = 0;
        ARMCI_Barrier();
        print_settings();
    }

    Random plan = common_generator(); // alike on all ranks
    Random own = own_generator();

    int any_rank() { return static_cast<int>(between(plan, 0, size() - 1)); }

    // Writes to `owner` if I am `writer`; everybody's model learns it. Nothing is waited for, so nothing is
    // written that meets what this round wrote before.
    void write(int writer, int owner)
    {
        const Kind kind = plan() % 3 == 0 ? (plan() % 2 == 0 ? Kind::acc_int : Kind::acc_long) : Kind::put;
        const long hold = between(plan, 0, 3);
        Operation operation(plan, kind, between(plan, 0, Block::bytes - 1));
        if (std::any_of(written_.begin(), written_.end(),
                        [&](const Operation& one) { return one.overlaps(operation); }))
            return;
        operation.apply(models_[static_cast<std::size_t>(owner)]);
        if (writer == rank()) {
            armci_hdl_t& handle = handles_.emplace_back();
            ARMCI_INIT_HANDLE(&handle);
            if (hold == 3)
                ARMCI_SET_AGGREGATE_HANDLE(&handle);
            operation.issue(block(owner), owner, hold != 0, hold >= 2 ? &handle : nullptr);
        }
        written_.push_back(std::move(operation));
    }

    // What was written must stay as it is until then; the handles are waited for after everything else.
    void release()
    {
        for (armci_hdl_t& handle : handles_)
            ARMCI_Wait(&handle);
        ARMCI_WaitAll();
        handles_.clear();
        written_.clear();
    }

    // The data of `owner`, read in one way of many.
    void expect_written(int owner, const char* after)
    {
        const auto& model = models_[static_cast<std::size_t>(owner)];
        const bool loads = armci_test::loads_reach(owner) && own() % 2 == 0;
        std::vector<std::byte> got(Block::bytes);
        for (long half = 0; half < 2; ++half) {
            std::byte* const there = block(owner).halves[half];
            std::byte* const here = &got[static_cast<std::size_t>(half * Block::half)];
            int stride[] = {13}, count[] = {13, Block::half / 13};
            void *sources[] = {there + Block::half / 2, there}, *targets[] = {here + Block::half / 2, here};
            armci_giov_t segments{sources, targets, Block::half / 2, 2};
            if (loads)
                std::copy_n(there, Block::half, here);
            else if (const auto way = own() % 4; way == 0)
                ARMCI_GetS(there, stride, here, stride, count, 1, owner);
            else if (way == 1)
                ARMCI_GetV(&segments, 1, owner);
            else
                ARMCI_Get(there, here, Block::half, owner);
        }
        const auto place = std::mismatch(model.begin(), model.end(), got.begin());
        ASSERT_TRUE(place.first == model.end())
            << "after " << after << ", data of " << owner << (loads ? " by loads" : " by a get") << ", place "
            << place.first - model.begin() << ", LITMUS_SEED=" << seed();
    }

    int* flag(int owner, long which = 0) const { return flags_.as<int>(owner) + which; }

    void set_flag(int owner, int value, long which = 0)
    {
        int old = value;
        switch (own() % 3) {
        case 0:
            ARMCI_PutValueInt(value, flag(owner, which), owner);
            break;
        case 1:
            ARMCI_Put(&value, flag(owner, which), sizeof value, owner);
            break;
        default:
            ARMCI_Rmw(ARMCI_SWAP, &old, flag(owner, which), 0, owner);
        }
    }

    void await_flag(int owner, int value, long which = 0)
    {
        const bool loads = armci_test::loads_reach(owner) && own() % 2 == 0;
        for (;;) {
            const int seen = loads ? std::atomic_ref<int>(*flag(owner, which)).load(std::memory_order_acquire)
                                   : ARMCI_GetValueInt(flag(owner, which), owner);
            if (seen == value)
                return;
            ARMCIX_Progress();
            sched_yield();
        }
    }

    Block block(int owner) const { return {{halves_[0].of(owner), halves_[1].of(owner)}}; }
    std::vector<std::byte>& model(int owner) { return models_[static_cast<std::size_t>(owner)]; }

private:
    static constexpr long flags = 4;
    armci_test::Region halves_[2]{armci_test::Region(Block::half), armci_test::Region(Block::half)};
    armci_test::Region flags_{static_cast<long>(flags * sizeof(int))};
    std::vector<std::vector<std::byte>> models_;
    std::vector<Operation> written_;
    std::deque<armci_hdl_t> handles_;
};

// Plays rounds 1, 2, ... with all ranks in step, which leaves pending what is pending.
template <class Round>
void play(Round each)
{
    Stage stage;
    for (int round = 1; round <= rounds(); ++round) {
        each(stage, round);
        stage.release();
        armci_test::quiet_barrier();
    }
}

class Observers : public testing::TestWithParam<armci_test::FenceCall> {};
INSTANTIATE_TEST_SUITE_P(By, Observers, testing::ValuesIn(armci_test::fence_calls), armci_test::fence_name);

// The writer writes data on one rank, fences, and writes a flag on another. All others wait for the flag.
TEST_P(Observers, who_see_the_flag_see_the_data)
{
    play([](Stage& stage, int round) {
        const int writer = stage.any_rank(), owner = stage.any_rank(), flagged = stage.any_rank();
        for (long n = between(stage.plan, 1, 2); n > 0; --n)
            stage.write(writer, owner);
        random_delay(stage.own);
        if (rank() == writer) {
            GetParam().complete(owner);
            stage.set_flag(flagged, round);
        }
        stage.await_flag(flagged, round);
        stage.expect_written(owner, "a fence");
    });
}

// Who sees the flag sets another one, elsewhere; who sees that sees the data too.
TEST_P(Observers, in_a_chain_see_the_data)
{
    play([](Stage& stage, int round) {
        const int writer = stage.any_rank(), owner = stage.any_rank(), first = stage.any_rank(),
                  second = stage.any_rank();
        stage.write(writer, owner);
        if (rank() == writer) {
            GetParam().complete(owner);
            stage.set_flag(first, round);
        }
        random_delay(stage.own);
        if (rank() == (writer + 1) % size()) {
            stage.await_flag(first, round);
            stage.set_flag(second, round, 1);
        }
        stage.await_flag(second, round, 1);
        stage.expect_written(owner, "a chain");
    });
}

// The three calls that put data and a flag; third parties look as well as the target.
TEST(PutFlag, who_see_the_flag_see_its_data)
{
    play([](Stage& stage, int round) {
        const int writer = stage.any_rank(), owner = stage.any_rank();
        const int bytes = static_cast<int>(between(stage.plan, 1, 40)),
                  rows = static_cast<int>(between(stage.plan, 1, 10));
        const int gap = static_cast<int>(between(stage.plan, 0, 10));
        const long form = between(stage.plan, 0, 2);
        int near[] = {bytes}, far[] = {bytes + gap}, count[] = {bytes, form == 0 ? 1 : rows};
        std::vector<std::byte> data(static_cast<std::size_t>(bytes * rows));
        for (std::byte& one : data)
            one = static_cast<std::byte>(stage.plan());
        for (int row = 0; row < count[1]; ++row)
            std::copy_n(&data[static_cast<std::size_t>(row * bytes)], bytes,
                        &stage.model(owner)[static_cast<std::size_t>(row * far[0])]);
        random_delay(stage.own);
        if (rank() == writer) {
            std::byte* const there = stage.block(owner).halves[0];
            if (form == 0)
                ARMCI_Put_flag(data.data(), there, bytes, stage.flag(owner), round, owner);
            else
                (form == 1 ? ARMCI_PutS_flag : ARMCI_PutS_flag_dir)(data.data(), near, there, far, count, 1,
                                                                    stage.flag(owner), round, owner);
        }
        stage.await_flag(owner, round);
        stage.expect_written(owner, "a put with flag");
    });
}

// What I wrote to a rank, waited for or not, is there when it hears from me.
TEST(Notify, who_is_notified_has_the_data)
{
    play([](Stage& stage, int) {
        const int writer = stage.any_rank(), owner = stage.any_rank();
        for (long n = between(stage.plan, 1, 3); n > 0; --n)
            stage.write(writer, owner);
        random_delay(stage.own);
        if (rank() == writer)
            armci_notify(owner);
        if (rank() == owner) {
            armci_notify_wait(writer, nullptr);
            stage.expect_written(owner, "a notification");
        }
    });
}

TEST(Barrier, who_leaves_it_sees_what_all_wrote)
{
    play([](Stage& stage, int) {
        for (int owner = 0; owner < size(); ++owner)
            stage.write(stage.any_rank(), owner);
        random_delay(stage.own);
        ARMCI_Barrier();
        for (int owner = 0; owner < size(); ++owner)
            stage.expect_written(owner, "a barrier");
    });
}

// Every owner of the mutex adds one to numbers on another rank, by get and put; none is lost.
TEST(Mutex, next_owner_sees_what_the_last_one_wrote)
{
    print_settings();
    armci_test::Region region(16 * sizeof(int));
    std::fill_n(region.as<int>(rank()), 16, 0);
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    Random own = own_generator();
    for (int round = 0; round < rounds(); ++round) {
        const int owner = round % size();
        int numbers[16] = {}, stride[] = {3 * sizeof(int)}, count[] = {3 * sizeof(int), 5};
        ARMCI_Lock(0, owner);
        ARMCI_Get(region.of(owner), numbers, sizeof numbers, owner);
        random_delay(own);
        for (int& one : numbers)
            ++one;
        if (own() % 2 == 0) {
            ARMCI_PutS(numbers, stride, region.of(owner), stride, count, 1, owner);
            ARMCI_PutValueInt(numbers[15], region.as<int>(owner) + 15, owner);
        } else {
            armci_hdl_t* const implicit = nullptr;
            ARMCI_NbPut(numbers, region.of(owner), sizeof numbers, owner, implicit);
            ARMCI_WaitProc(owner);
        }
        ARMCI_Unlock(0, owner);
    }
    ARMCI_Barrier();
    const int mine = rounds() / size() + (rank() < rounds() % size() ? 1 : 0);
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ(region.as<int>(rank())[i], mine * size()) << "number " << i << ", LITMUS_SEED=" << seed();
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

} // namespace
} // namespace litmus
