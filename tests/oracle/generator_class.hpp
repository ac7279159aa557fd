// Generator: one program in the making. Proposes steps at random, and keeps those that the rules take.
#pragma once

#include "tests/oracle/generator.hpp"
#include "tests/oracle/rules.hpp"
#include "tests/oracle/shapes.hpp"

#include <map>
#include <vector>

namespace oracle {

// What a program does often, seldom or never: drawn anew for each, as programs that do all things alike are
// all alike.
struct Profile {
    Shapes shapes;
    int rounds, steps; // of each actor in a round
    int blocking;      // percent
    int origin;        // percent of transfers with their buffer in global memory
    int large;         // percent of regions that are large
    int modes;         // percent
    int computes;      // weight
    int weights[8];    // of Kind
    int verbs[12];     // of the actions below
    int checks;        // percent of rounds that end with a look at memory
    int renewed;       // percent of rounds that free and allocate
    bool hammers;      // all add to most of a few large blocks, so that sums meet
    bool storms;       // many rounds of a few atomic operations, so that each begins with all of them
    bool bursts;       // storms in which each actor adds once a round, to all of one large block
    int echoes;        // percent of contiguous puts of which the same actor moves a part again
    int joins;         // percent of contiguous transfers and vectors that have segments in a further block
    int toggles;       // percent of aggregate handles that are set late, and of waits that unset them first
    int neighbours;    // percent of groups whose processes have consecutive numbers
};

class Generator {
public:
    Generator(std::uint64_t seed, const Limits& limits);
    Program make();

private:
    using Blocks = std::map<int, Rules::Block>;
    bool offer(const Step& step);
    Step step(Verb verb);
    // Far from what words hold: sums that are added to it later must not make it another one's.
    long fresh_value() { return 1000000 + random_.below(1900000000); }
    int any_process() { return static_cast<int>(random_.below(limits_.ranks)); }
    int first_actor(int process) const { return process * limits_.threads; }

    void draw_profile();
    void draw_storms();

    // What there is (generator_memory.cpp).
    void make_groups();
    void make_mutexes();
    void make_regions();
    void make_region();
    void make_burst_region();
    void make_blocks(int region, int target, long size);

    // Blocks side by side in the same rows, as parts of a matrix.
    long make_columns(Step s, long at, long room);
    void renew();
    void set_mode();

    // Its use in this round (generator_memory.cpp).
    bool may_reach(int actor, int region);
    int any_actor(int region);
    void use_blocks();
    const Rules::Block* any_block(Kind kind, int* id = nullptr);
    const Rules::Block* largest_block(Kind kind);

    // Steps (generator_steps.cpp, generator_transfers.cpp).
    void act();
    void transfer();
    void burst();
    // From somewhere in the first half of the block to its end.
    Step most_of(Step s, const Step& block);
    void echo(const Step& put);

    // Segments in a further block of the same process, mostly of another region.
    const Rules::Block* block_to_join(const Step& s, const Rules::Block& used);
    void join_another_block(Step& s, const Rules::Block& used);
    void take_global_buffer(Step& s);
    void complete(int actor);
    void complete_one(int actor, int how, int target);
    void complete_some();
    void fence();
    void word();
    void direct();
    void pass();
    void flagged();
    void message();
    void section();
    void of_all();
    void copy();
    void idle();
    void end_round();

    Limits limits_;
    Random random_;
    Rules rules_;
    int actors_;
    Program program_;
    Profile profile_{};
    std::vector<std::vector<int>> by_kind_;
    int last_group_ = 0, last_region_ = 0, last_block_ = 0;
    long computed_ = 0;
};

} // namespace oracle
