// My own operations on one target are seen by me in the order of their local completion, whatever their
// forms, handles and paths.
#include "tests/litmus/player.hpp"

namespace litmus {
namespace {

struct Pattern {
    const char* name;
    std::vector<Kind> kinds;
};
const Pattern patterns[] = {
    {"put_get", {Kind::put, Kind::get}},
    {"put_put_get", {Kind::put, Kind::put, Kind::get}},
    {"get_put_get", {Kind::get, Kind::put, Kind::get}},
    {"acc_get", {Kind::acc_int, Kind::get}},
    {"put_acc_get", {Kind::put, Kind::acc_long, Kind::get}},
    {"acc_put_get", {Kind::acc_int, Kind::put, Kind::get}},
    {"acc_acc_of_two_types_get", {Kind::acc_int, Kind::acc_long, Kind::get}},
    {"put_rmw", {Kind::put, Kind::add_long, Kind::put, Kind::swap_int}},
    {"acc_rmw_get", {Kind::acc_int, Kind::add_int, Kind::get}},
    {"rmw_put_get", {Kind::swap_long, Kind::put, Kind::get}},
    {"rmw_acc_get", {Kind::add_int, Kind::acc_int, Kind::get}},
};
struct Holding {
    const char* name;
    Hold hold;
};
const Holding holdings[] = {{"blocking", Hold::blocking},
                            {"explicit_handle", Hold::explicitly},
                            {"implicit_handle", Hold::implicitly},
                            {"aggregate_handle", Hold::in_aggregate}};

class Order : public testing::TestWithParam<std::tuple<Pattern, Holding>> {};

INSTANTIATE_TEST_SUITE_P(Of, Order,
                         testing::Combine(testing::ValuesIn(patterns), testing::ValuesIn(holdings)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) + "_" +
                                    std::get<1>(test.param).name;
                         });

// Operations of one round have a byte in common.
TEST_P(Order, is_seen_by_the_origin)
{
    print_settings();
    Player player;
    const auto& [pattern, holding] = GetParam();
    for (int round = 0; round < rounds(); ++round) {
        const int target = player.any_target();
        const long focus = player.any_place();
        for (const Kind kind : pattern.kinds) {
            player.play(kind, target, focus, holding.hold);
            random_delay(player.random());
        }
    }
    player.check_everything();
}

// Many at once, on all targets, completed in any order; what has not been waited for may be fenced.
TEST(Mixture, of_everything_is_as_if_done_in_order)
{
    print_settings();
    Player player;
    for (int round = 0; round < rounds(); ++round) {
        const int target = player.any_target();
        const long focus = player.any_place();
        for (long n = between(player.random(), 1, 6); n > 0; --n)
            player.play(one_of(player.random(), all_kinds), target,
                        player.random()() % 4 == 0 ? focus : player.any_place(),
                        one_of(player.random(), holdings).hold);
        if (player.random()() % 8 == 0)
            player.fence();
        while (player.pending() > static_cast<std::size_t>(between(player.random(), 0, 40)))
            player.complete_some();
        random_delay(player.random());
    }
    player.check_everything();
}

// Streams of small puts, so that intervals and queues overflow, then one get of them all.
TEST(Stream, of_puts_is_there_for_the_get_that_follows)
{
    print_settings();
    Player player;
    for (int round = 0; round < rounds() / 4 + 1; ++round) {
        const int target = player.any_target();
        const Hold hold = one_of(player.random(), holdings).hold;
        for (int i = 0; i < 45; ++i)
            player.play(Kind::put, target, player.any_place(), hold);
        for (int i = 0; i < 4; ++i)
            player.play(Kind::get, target, player.any_place(), hold);
        random_delay(player.random());
    }
    player.check_everything();
}

} // namespace
} // namespace litmus
