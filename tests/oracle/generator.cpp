// What a program is like, and its rounds.
#include "tests/oracle/generator_class.hpp"

#include <message.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace oracle {

Generator::Generator(std::uint64_t seed, const Limits& limits)
    : limits_(limits), random_(seed), rules_(limits.ranks, limits.threads),
      actors_(limits.ranks * limits.threads)
{
    program_.ranks = limits.ranks;
    program_.threads = limits.threads;
    program_.seed = seed;
    draw_profile();
}

Program Generator::make()
{
    make_groups();
    make_mutexes();
    make_regions();
    for (int round = 0; round < profile_.rounds; ++round) {
        if (round > 0 && random_.chance(profile_.renewed))
            renew();
        if (random_.chance(profile_.modes))
            set_mode();
        use_blocks();
        const long steps = std::max(2l, static_cast<long>(profile_.steps) * actors_);
        if (profile_.bursts)
            burst();
        for (long n = 0; n < steps && !profile_.bursts; ++n)
            act();
        end_round();
    }
    return std::move(program_);
}

namespace {

// Whether a step needs what Debian's libarmci-mpi lacks, or does otherwise (docs/compatibility.md).
bool is_beyond_peer(const Step& s, const Rules& rules)
{
    const auto is_none = [](long count) { return count == 0; };
    switch (s.verb) {
    case Verb::put:
    case Verb::get:
    case Verb::acc: // without bytes; a vector over two regions
        return s.is_strided() ? std::any_of(s.counts.begin(), s.counts.end(), is_none)
               : s.is_vector()
                   ? !s.regions.empty() || std::any_of(s.lengths.begin(), s.lengths.end(), is_none)
                   : s.bytes == 0;
    case Verb::mode:
    case Verb::group_fence:
        return true;
    case Verb::group: // all processes make it, and none says that it stays outside by a negative colour
        return s.variant != 0;
    case Verb::mutexes: // it takes no set without a mutex
        return std::all_of(s.sizes.begin(), s.sizes.end(), is_none);
    case Verb::reduce: { // armci_msg_reduce_scope; operators that change a value that has no other
        constexpr int first_that_changes = 4, last_that_changes = 9;
        const auto group = rules.groups().find(s.group);
        const bool may_be_alone = s.scope != 0 || group == rules.groups().end() || group->second.size() < 2;
        const bool has_minus_zero = s.value == ARMCI_FLOAT || s.value == ARMCI_DOUBLE;
        return s.variant == 1 ||
               ((may_be_alone || has_minus_zero) && s.op >= first_that_changes && s.op <= last_that_changes);
    }
    case Verb::select: // a process that does not contribute passes no type on
        return true;
    case Verb::alloc: // ARMCI_Malloc_memdev has no document; fences of processes outside of a group end the
                      // job
        return (s.group == 0 && s.variant == 1) || s.sizes.size() < rules.groups().at(0).size();
    case Verb::pass: // armci_notify
        return s.variant == 1;
    case Verb::flagged: // ARMCI_PutS_flag_dir; a flag that is polled by loads
        return s.is_strided() || s.variant / 2 != 1;
    case Verb::load:
    case Verb::store: // between ARMCI_Access_begin and ARMCI_Access_end
        return s.variant != 1;
    case Verb::sync: // ARMCI_GroupFence
        return s.variant == 3;
    default:
        return false;
    }
}

} // namespace

bool Generator::offer(const Step& step)
{
    if (limits_.is_for_peer && is_beyond_peer(step, rules_))
        return false;
    if (rules_.take(step) != nullptr)
        return false;
    program_.steps.push_back(step);
    return true;
}

Step Generator::step(Verb verb)
{
    Step made;
    made.verb = verb;
    made.data = random_.word();
    return made;
}

void Generator::draw_profile()
{
    Random& r = random_;
    Profile& p = profile_;
    p.shapes.strided = r.chance(85);
    p.shapes.vectors = r.chance(85);
    p.shapes.negative = r.chance(60);
    p.shapes.odd = r.chance(70);
    p.shapes.empty = r.chance(60);
    p.shapes.overlapping = r.chance(60);
    p.shapes.most_levels = static_cast<int>(r.chance(20) ? r.between(5, 7) : r.between(1, 4));
    p.rounds = static_cast<int>(r.between(2, 8));
    p.steps = static_cast<int>(r.between(3, 8 + 400 / (actors_ + 2))) * limits_.weight / 100;
    p.blocking = static_cast<int>(r.chance(15) ? 100 : r.between(10, 80));
    p.origin = static_cast<int>(r.chance(40) ? r.between(3, 25) : 0);
    p.large = static_cast<int>(r.chance(20) ? r.between(10, 60) : 0);
    p.modes = static_cast<int>(r.chance(35) ? r.between(20, 80) : 0);
    p.computes = static_cast<int>(r.chance(50) ? r.between(1, 6) : 0);
    for (int& weight : p.weights)
        weight = r.chance(25) ? 0 : static_cast<int>(r.between(1, 10));
    p.weights[static_cast<int>(Kind::none)] = static_cast<int>(r.small(4));
    p.weights[static_cast<int>(Kind::exclusive)] = static_cast<int>(r.between(3, 20));
    for (int& weight : p.verbs)
        weight = r.chance(25) ? 0 : static_cast<int>(r.between(1, 8));
    p.verbs[0] = static_cast<int>(r.between(20, 60)); // transfers
    p.checks = static_cast<int>(r.between(30, 100));
    p.renewed = static_cast<int>(r.chance(60) ? r.between(20, 100) : 0);
    p.echoes = static_cast<int>(r.chance(30) ? r.between(20, 80) : 0);
    if (p.echoes > 0)
        p.large = std::max(p.large, 30);
    p.joins = static_cast<int>(r.chance(25) ? r.between(30, 80) : r.between(0, 5));
    p.toggles = static_cast<int>(r.chance(50) ? r.between(10, 50) : 0);
    p.neighbours = static_cast<int>(r.chance(60) ? r.between(20, 90) : 0);
    if (limits_.is_for_peer)
        p.joins = p.toggles = 0;
    p.hammers = r.chance(10);
    if (p.hammers) {
        p.large = 100;
        p.weights[static_cast<int>(Kind::acc)] = 60;
        p.shapes.odd = false;
        p.blocking = std::max(p.blocking, 60);
        p.steps = std::min(p.steps, 20);
        for (std::size_t i = 1; i < std::size(p.verbs); ++i)
            p.verbs[i] = std::min(p.verbs[i], 1);
    }
    p.storms = limits_.has_bursts_only || (!p.hammers && r.chance(20));
    if (p.storms)
        draw_storms();
}

// An epoch of atomic operations lasts from barrier to barrier (gmr/network/modes), and what goes wrong at its
// beginning goes wrong once in each.
void Generator::draw_storms()
{
    Profile& p = profile_;
    p.rounds = static_cast<int>(random_.between(20, 60));
    p.modes = p.renewed = p.computes = p.large = 0;
    std::fill(std::begin(p.weights), std::end(p.weights), 0);
    std::fill(std::begin(p.verbs), std::end(p.verbs), 0);
    p.bursts = random_.chance(70) || limits_.has_bursts_only;
    if (p.bursts) { // a CPU is in the middle of its sum when another node's process claims the memory
        p.weights[static_cast<int>(Kind::acc)] = 1;
        p.verbs[0] = 1;              // transfers
    } else if (random_.chance(40)) { // sums that take long
        p.hammers = true;
        p.large = 100;
        p.blocking = 80;
        p.steps = static_cast<int>(random_.between(1, 3));
        p.weights[static_cast<int>(Kind::acc)] = 10;
        p.verbs[0] = 1; // transfers
    } else {
        p.steps = static_cast<int>(random_.between(4, 12));
        p.weights[static_cast<int>(Kind::fadd)] = 10;
        p.weights[static_cast<int>(Kind::acc)] = static_cast<int>(random_.between(1, 10));
        p.weights[static_cast<int>(Kind::swap)] = static_cast<int>(random_.below(3));
        p.verbs[0] = 5;  // transfers
        p.verbs[3] = 20; // words
    }
}

void Generator::end_round()
{
    const bool checks = random_.chance(profile_.checks) || rules_.has_chains();
    const int variant = static_cast<int>(random_.small(5)) % (limits_.is_for_peer ? 3 : 4);
    const bool completes = variant != 0 || !checks || random_.chance(60);
    for (int actor = 0; actor < actors_; ++actor) {
        if (completes) {
            complete(actor);
            continue;
        }
        for (const auto& [how, target] : rules_.unfinished(actor))
            if (how != implicit)
                complete_one(actor, how, target);
    }
    Step s = step(Verb::sync);
    s.data = 0;
    s.variant = variant;
    s.check = checks ? static_cast<int>(random_.between(1, 2)) : 0;
    if (!offer(s))
        throw std::logic_error("the rules refuse a sync, so a round would go unchecked");
}

Program generate(std::uint64_t seed, const Limits& limits)
{
    return Generator(seed, limits).make();
}

} // namespace oracle
