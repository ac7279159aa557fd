// The steps of a round.
#include "tests/oracle/generator_class.hpp"

#include "tests/oracle/messages.hpp"

#include <armcix.h>

#include <algorithm>
#include <numeric>

namespace oracle {

void Generator::act()
{
    constexpr void (Generator::*actions[])() = {
        &Generator::transfer, &Generator::complete_some, &Generator::fence,   &Generator::word,
        &Generator::direct,   &Generator::pass,          &Generator::flagged, &Generator::message,
        &Generator::section,  &Generator::of_all,        &Generator::copy,    &Generator::idle};
    static_assert(std::size(actions) == std::size(Profile().verbs));
    (this->*actions[random_.weighted(profile_.verbs)])();
}

void Generator::transfer()
{
    static constexpr Kind kinds[] = {Kind::exclusive, Kind::exclusive, Kind::exclusive,
                                     Kind::read,      Kind::acc,       Kind::acc};
    const Rules::Block* const block = profile_.hammers && random_.chance(80)
                                          ? largest_block(Kind::acc)
                                          : any_block(kinds[random_.below(std::size(kinds))]);
    if (block == nullptr)
        return;
    const Step place = block->shape;
    Step s = step(Verb::get);
    s.actor = block->kind == Kind::exclusive ? block->actor : any_actor(place.region);
    s.region = place.region;
    s.target = place.target;
    s.type = place.type;
    if (block->kind == Kind::acc)
        s.verb = Verb::acc;
    else if (block->kind == Kind::exclusive)
        s.verb = random_.chance(40) ? Verb::put : random_.chance(60) ? Verb::get : Verb::acc;
    if (s.verb == Verb::acc && place.type == Type::bytes)
        s.type = random_.chance(50) ? Type::integer : Type::whole;
    s.value = s.verb == Verb::acc ? random_.between(-2, 3) : 0;
    long unit = element_bytes(s.type);
    if (s.verb == Verb::get && random_.chance(50))
        unit = 1;
    if (place.bytes < unit)
        return;
    shape(s, place, unit, profile_.shapes, random_);
    if (profile_.hammers && block->kind == Kind::acc && place.rows == 1 && random_.chance(80))
        s = most_of(s, place);
    if (s.verb == Verb::put && place.rows == 1 && random_.chance(profile_.echoes / 2))
        s = most_of(s, place);
    s.variant = static_cast<int>(random_.below(8));
    if (!random_.chance(profile_.blocking))
        s.how = random_.chance(30) ? static_cast<int>(implicit) : static_cast<int>(random_.below(handles));
    if (is_aggregate(s.how) && !rules_.is_in_use(s.actor, s.how))
        s.toggles = random_.chance(profile_.toggles) ? 1 : 0;
    if (profile_.hammers && s.how == blocking && s.verb == Verb::acc && random_.chance(60))
        s.times = random_.between(2, 40);
    if (s.is_vector() ? random_.chance(std::max(20, profile_.joins))
                      : !s.is_strided() && s.times == 1 && random_.chance(profile_.joins))
        join_another_block(s, *block);
    if (s.type == Type::bytes && s.verb != Verb::acc && random_.chance(profile_.origin))
        take_global_buffer(s);
    bool taken = offer(s);
    if (!taken) {
        complete(s.actor);
        taken = s.how != blocking && random_.chance(50) && offer(s);
        if (!taken) {
            s.how = blocking;
            s.toggles = 0;
            taken = offer(s);
        }
    }
    if (taken && s.verb == Verb::put && random_.chance(profile_.echoes))
        echo(s);
}

// A long sum of each actor, in any order. Short ones follow: a CPU that comes seldom would lose the memory to
// MPI for many rounds (gmr/network/modes).
void Generator::burst()
{
    const Rules::Block* const block = largest_block(Kind::acc);
    std::vector<int> order(static_cast<std::size_t>(actors_));
    std::iota(order.begin(), order.end(), 0);
    for (const bool is_long : {true, false}) {
        std::shuffle(order.begin(), order.end(), random_.engine());
        for (const int actor : order) {
            Step s = step(Verb::acc);
            s.actor = actor;
            s.region = block->shape.region;
            s.target = block->shape.target;
            s.type = block->shape.type;
            s.bytes = is_long ? block->shape.bytes : element_bytes(s.type);
            s.value = random_.between(1, 3);
            s.times = is_long ? 1 : 4;
            s.variant = static_cast<int>(random_.below(8));
            if (is_long && random_.chance(20))
                s = most_of(s, block->shape);
            offer(s);
        }
    }
}

Step Generator::most_of(Step s, const Step& block)
{
    s.counts.clear(), s.there.clear(), s.here.clear(), s.lengths.clear(), s.regions.clear();
    s.from = 0;
    const long unit = element_bytes(s.type), units = block.bytes / unit;
    const long first = random_.chance(40) ? 0 : random_.below((units + 1) / 2);
    s.at = block.at + first * unit;
    s.bytes = (units - first) * unit;
    return s;
}

// The put may be on its way still: a part of its bytes moves behind it, or waits.
void Generator::echo(const Step& put)
{
    const long unit = element_bytes(put.type), units = put.bytes / unit;
    if (put.is_strided() || put.is_vector() || units < 2)
        return;
    if (put.how != blocking)
        complete_one(put.actor, put.how, put.target);
    const long first =
        random_.chance(70) ? random_.between((units + 1) / 2, units - 1) : random_.below(units);
    Step s = step(random_.chance(80) ? Verb::get : Verb::put);
    s.actor = put.actor;
    s.region = put.region;
    s.target = put.target;
    s.type = put.type;
    s.at = put.at + first * unit;
    s.bytes = unit * (1 + random_.below(units - first));
    s.variant = static_cast<int>(random_.below(8));
    if (s.verb == Verb::get && put.how != blocking && random_.chance(30))
        s.how = implicit;
    offer(s);
}

const Rules::Block* Generator::block_to_join(const Step& s, const Rules::Block& used)
{
    std::vector<const Rules::Block*> same, others;
    for (const auto& [id, block] : rules_.blocks()) {
        const Step& place = block.shape;
        const bool is_mine = block.kind == Kind::exclusive && block.actor == s.actor;
        const bool is_shared = (s.verb == Verb::acc && block.kind == Kind::acc) ||
                               (s.verb == Verb::get && block.kind == Kind::read);
        if (&block != &used && (is_mine || is_shared) && place.target == s.target && place.type == s.type &&
            may_reach(s.actor, place.region))
            (place.region == s.region ? same : others).push_back(&block);
    }
    const auto& from = others.empty() || (!same.empty() && random_.chance(30)) ? same : others;
    return from.empty() ? nullptr
                        : from[static_cast<std::size_t>(random_.below(static_cast<long>(from.size())))];
}

void Generator::join_another_block(Step& s, const Rules::Block& used)
{
    const Rules::Block* const other = block_to_join(s, used);
    if (other == nullptr)
        return;
    if (!s.is_vector()) {
        s.lengths = {s.bytes};
        s.there = {s.at};
        s.here = {s.from};
    }
    Step more = s;
    more.lengths.clear(), more.there.clear(), more.here.clear();
    Shapes vectors = profile_.shapes;
    vectors.strided = false;
    shape(more, other->shape, element_bytes(s.type), vectors, random_);
    if (!more.is_vector()) {
        if (profile_.hammers && other->shape.rows == 1)
            more = most_of(more, other->shape);
        more.lengths = {more.bytes};
        more.there = {more.at};
        more.here = {0};
    }
    long end = 0;
    for (std::size_t i = 0; i < s.lengths.size(); ++i)
        end = std::max(end, s.here[i] + s.lengths[i]);
    s.regions.assign(s.lengths.size(), s.region);
    for (std::size_t i = 0; i < more.lengths.size(); ++i) {
        s.regions.push_back(other->shape.region);
        s.lengths.push_back(more.lengths[i]);
        s.there.push_back(more.there[i]);
        s.here.push_back(end + more.here[i]);
    }
}

void Generator::take_global_buffer(Step& s)
{
    for (int tries = 0; tries < 6; ++tries) {
        const Rules::Block* const own = any_block(Kind::exclusive);
        if (own == nullptr || own->actor != s.actor || own->shape.target != rules_.process_of(s.actor))
            continue;
        const long bytes = origin_bytes(segments_of(s));
        if (own->shape.bytes < bytes)
            continue;
        s.origin = own->shape.region;
        s.origin_at = own->shape.at + random_.below(own->shape.bytes - bytes + 1);
        return;
    }
}

void Generator::complete(int actor)
{
    for (const auto& [how, target] : rules_.unfinished(actor))
        complete_one(actor, how, target);
    if (!rules_.unfinished(actor).empty()) {
        Step s = step(Verb::wait_all);
        s.actor = actor;
        offer(s);
    }
}

void Generator::complete_one(int actor, int how, int target)
{
    Step s = step(how == implicit      ? random_.chance(60) ? Verb::wait_proc : Verb::wait_all
                  : random_.chance(60) ? Verb::wait
                                       : Verb::test);
    s.actor = actor;
    s.target = target;
    s.how = how;
    s.data = 0;
    if (is_aggregate(how))
        s.toggles = random_.chance(profile_.toggles) ? 1 : 0;
    offer(s);
}

void Generator::complete_some()
{
    const int actor = static_cast<int>(random_.below(actors_));
    const auto all = rules_.unfinished(actor);
    if (all.empty())
        return;
    auto one = all.begin();
    std::advance(one, random_.below(static_cast<long>(all.size())));
    complete_one(actor, one->first, one->second);
}

void Generator::fence()
{
    Step s = step(random_.chance(60)   ? Verb::fence
                  : random_.chance(60) ? Verb::all_fence
                                       : Verb::group_fence);
    s.data = 0;
    s.actor = static_cast<int>(random_.below(actors_));
    s.target = any_process();
    auto group = rules_.groups().begin();
    std::advance(group, random_.below(static_cast<long>(rules_.groups().size())));
    s.group = s.verb == Verb::group_fence ? group->first : 0;
    offer(s);
}

void Generator::word()
{
    static constexpr Kind kinds[] = {Kind::exclusive, Kind::fadd, Kind::fadd, Kind::swap, Kind::swap};
    const Rules::Block* const block = any_block(kinds[random_.below(std::size(kinds))]);
    if (block == nullptr || (block->shape.type != Type::integer && block->shape.type != Type::whole))
        return;
    const Step& place = block->shape;
    const long unit = element_bytes(place.type);
    const bool swaps = block->kind == Kind::swap || (block->kind == Kind::exclusive && random_.chance(40));
    Step s = step(Verb::rmw);
    s.data = 0;
    s.region = place.region;
    s.target = place.target;
    s.actor = block->kind == Kind::exclusive ? block->actor : any_actor(place.region);
    // The same words again and again, so that processes meet.
    const long words = block->kind == Kind::exclusive ? place.bytes / unit : std::min(place.bytes / unit, 3l);
    s.at = place.at + random_.below(place.rows) * place.pitch + random_.below(words) * unit;
    s.op = swaps ? ARMCI_SWAP : ARMCI_FETCH_AND_ADD;
    if (place.type == Type::whole)
        s.op = swaps ? ARMCI_SWAP_LONG : ARMCI_FETCH_AND_ADD_LONG;
    s.value = block->kind == Kind::exclusive ? random_.between(-5, 9)
              : swaps                        ? fresh_value()
                                             : random_.between(1, 9);
    if (!offer(s)) {
        complete(s.actor);
        offer(s);
    }
}

void Generator::direct()
{
    const Rules::Block* const block = any_block(random_.chance(85) ? Kind::exclusive : Kind::read);
    if (block == nullptr)
        return;
    const Step place = block->shape;
    Step s = step(block->kind == Kind::read || random_.chance(50) ? Verb::load : Verb::store);
    s.actor = block->kind == Kind::exclusive ? block->actor : first_actor(place.target);
    if (rules_.process_of(s.actor) != place.target)
        return;
    const long unit = s.verb == Verb::load ? 1 : element_bytes(place.type), units = place.bytes / unit,
               first = random_.below(units);
    s.region = place.region;
    s.type = place.type;
    s.at = place.at + random_.below(place.rows) * place.pitch + first * unit;
    s.bytes = unit * random_.between(1, units - first);
    s.variant = static_cast<int>(random_.below(2));
    if (offer(s))
        return;
    complete(s.actor);
    Step f = step(Verb::fence);
    f.actor = s.actor;
    f.target = place.target;
    f.data = 0;
    offer(f);
    offer(s);
}

void Generator::pass()
{
    int id = 0;
    const Rules::Block* const block = any_block(Kind::exclusive, &id);
    if (block == nullptr)
        return;
    Step s = step(Verb::pass);
    s.data = 0;
    s.id = id;
    s.actor = block->actor;
    s.peer = first_actor(random_.chance(50) ? block->shape.target : any_process());
    s.variant = static_cast<int>(random_.below(3));
    if (!may_reach(s.peer, block->shape.region))
        return;
    if (!offer(s)) {
        complete(s.actor);
        offer(s);
    }
}

void Generator::flagged()
{
    const Rules::Block* const words = any_block(Kind::flag);
    if (words == nullptr)
        return;
    const Step word = words->shape;
    for (int tries = 0; tries < 8; ++tries) {
        const Rules::Block* const block = any_block(Kind::exclusive);
        if (block == nullptr || block->shape.target != word.target ||
            rules_.process_of(block->actor) == word.target ||
            !may_reach(first_actor(word.target), block->shape.region) ||
            !may_reach(block->actor, word.region))
            continue;
        const Step place = block->shape;
        Step s = step(Verb::flagged);
        s.actor = block->actor;
        s.peer = first_actor(word.target);
        s.region = place.region;
        s.target = place.target;
        s.type = place.type;
        Shapes shapes = profile_.shapes;
        shapes.vectors = false;
        shape(s, place, element_bytes(place.type), shapes, random_);
        s.flag_region = word.region;
        s.flag_at = word.at + random_.below(word.rows) * word.pitch + random_.below(word.bytes / 4) * 4;
        s.value = fresh_value();
        s.variant = static_cast<int>(random_.below(4));
        complete(s.actor);
        if (!offer(s)) {
            Step f = step(Verb::fence);
            f.actor = s.actor;
            f.target = s.target;
            f.data = 0;
            offer(f);
            offer(s);
        }
        return;
    }
}

void Generator::message()
{
    Step s = step(Verb::message);
    s.actor = first_actor(any_process());
    s.peer = first_actor(any_process());
    s.bytes = random_.chance(5) ? random_.below(100000) : random_.small(300);
    s.variant = static_cast<int>(random_.below(2));
    offer(s);
}

void Generator::section()
{
    int id = 0;
    const Rules::Block* const block = any_block(Kind::section, &id);
    if (block == nullptr)
        return;
    Step s = step(Verb::section);
    s.id = id;
    s.actor = first_actor(rules_.process_of(any_actor(block->shape.region)));
    s.peer = s.actor;
    s.value = random_.chance(20) ? random_.small(300) : 0;
    s.variant = static_cast<int>(random_.below(8));
    offer(s);
}

void Generator::of_all()
{
    if (!random_.chance(400 / (actors_ + 4)))
        return;
    constexpr Verb verbs[] = {Verb::reduce,    Verb::reduce, Verb::reduce,
                              Verb::broadcast, Verb::select, Verb::barrier};
    Step s = step(verbs[random_.below(std::size(verbs))]);
    auto group = rules_.groups().begin();
    if (s.verb != Verb::select)
        std::advance(group, random_.below(static_cast<long>(rules_.groups().size())));
    s.group = group->first;
    s.scope = static_cast<int>(random_.below(3));
    s.root = static_cast<int>(
        group->second[static_cast<std::size_t>(random_.below(static_cast<long>(group->second.size())))]);
    s.variant = static_cast<int>(random_.below(4));
    s.value = random_.below(5);
    s.bytes = random_.small(random_.chance(10) ? 3000 : 40);
    const bool is_floating = s.value == ARMCI_FLOAT || s.value == ARMCI_DOUBLE;
    s.op = static_cast<int>(random_.below(is_floating ? of_all_types : operator_count));
    if (s.verb == Verb::select) {
        s.op = static_cast<int>(random_.between(2, 3));
        s.bytes += message_element(static_cast<int>(s.value));
    }
    if (s.verb == Verb::reduce && s.variant == 1 && s.group != 0)
        s.variant = 0;
    offer(s);
}

void Generator::copy()
{
    Step s = step(Verb::copy);
    s.actor = static_cast<int>(random_.below(actors_));
    s.bytes = random_.small(2000);
    s.from = random_.small(40);
    s.variant = static_cast<int>(random_.below(2));
    s.peer = s.actor;
    offer(s);
}

void Generator::idle()
{
    Step s = step(random_.chance(50) ? Verb::compute : Verb::progress);
    s.data = 0;
    s.actor = static_cast<int>(random_.below(actors_));
    if (s.verb == Verb::compute) {
        if (profile_.computes == 0)
            return;
        s.value = random_.chance(10) ? random_.between(1, 20000) : random_.small(400);
        // A program is to be done in a moment.
        if ((computed_ += s.value) > 40000)
            s.value = random_.small(50);
    }
    offer(s);
}

} // namespace oracle
