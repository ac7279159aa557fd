// Proposals of puts, gets and accumulates.
#include "tests/oracle/generator_class.hpp"

#include <algorithm>
#include <numeric>

namespace oracle {

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

} // namespace oracle
