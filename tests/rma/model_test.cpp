// Long random mixtures of all operations against a model.
#include "tests/rma/model_operations.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace armci_test::model {
namespace {

struct Step {
    const char* name;
    void (*take)(Model&);
};

const Step steps[] = {
    {"put", put},
    {"get", get},
    {"accumulate", accumulate},
    {"put strided", put_strided},
    {"get strided", get_strided},
    {"accumulate strided", accumulate_strided},
    {"put vector", put_vector},
    {"get vector", get_vector},
    {"accumulate vector", accumulate_vector},
    {"read-modify-write of an int", read_modify_write_int},
    {"read-modify-write of a long", read_modify_write_long},
    {"complete", [](Model& model) { model.complete(); }},
};

TEST(Model, random_operations_leave_what_a_serial_program_leaves)
{
    Model model(50);
    for (int step = 1; step <= 20'000 && !testing::Test::HasFatalFailure(); ++step) {
        model.choose_target();
        const Step& next = steps[model.below(std::size(steps))];
        SCOPED_TRACE("step " + std::to_string(step) + ", " + next.name + " at process " +
                     std::to_string(model.target()));
        next.take(model);
        if (step % 2000 == 0)
            model.check();
    }
}

// The owner's direct loads after a barrier show the same.
TEST(Model, barrier_shows_all_of_it_to_the_owners)
{
    Region region(part * size());
    auto random = rank_generator(51);
    std::vector<std::byte> sent = pattern_bytes(60 + static_cast<std::uint64_t>(rank()), part);
    for (int round = 0; round < 20; ++round) {
        for (int distance = 0; distance < size(); ++distance) {
            const int target = neighbour(distance);
            const auto cut = static_cast<int>(random() % part);
            ASSERT_EQ(0, ARMCI_NbPut(sent.data(), region.of(target, part * rank()), cut, target, nullptr));
            ASSERT_EQ(0, ARMCI_Put(sent.data() + cut, region.of(target, part * rank() + cut),
                                   static_cast<int>(part) - cut, target));
        }
        ARMCI_Barrier();
        for (int p = 0; p < size(); ++p) {
            auto wanted = pattern_bytes(60 + static_cast<std::uint64_t>(p), part);
            for (std::byte& byte : wanted)
                byte ^= static_cast<std::byte>(round);
            ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), region.mine(part * p)))
                << "round " << round << " from " << p;
        }
        for (std::byte& byte : sent)
            byte ^= static_cast<std::byte>(round ^ (round + 1));
        ARMCI_Barrier();
    }
}

} // namespace
} // namespace armci_test::model
