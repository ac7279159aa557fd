// The steps of a round, but for transfers (generator_transfers.cpp).
#include "tests/oracle/generator_class.hpp"

#include "tests/oracle/messages.hpp"

#include <armcix.h>

#include <algorithm>

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
