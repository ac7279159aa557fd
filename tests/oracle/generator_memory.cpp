// What there is in a program: groups, mutexes, regions and their blocks, and what uses a block in a round.
#include "tests/oracle/generator_class.hpp"

#include <armcix.h>

#include <algorithm>

namespace oracle {

void Generator::make_groups()
{
    for (long n = random_.below(3); n > 0; --n) {
        Step s = step(Verb::group);
        s.id = ++last_group_;
        if (random_.chance(profile_.neighbours)) {
            const int width = random_.chance(50) ? 2 : (limits_.ranks + 1) / 2;
            const int first = any_process() / width * width;
            for (int p = first; p < std::min(first + width, limits_.ranks); ++p)
                s.members.push_back(p);
        } else {
            for (int p = 0; p < limits_.ranks; ++p)
                if (random_.chance(60))
                    s.members.push_back(p);
        }
        if (random_.chance(50))
            std::shuffle(s.members.begin(), s.members.end(), random_.engine());
        s.variant = static_cast<int>(random_.below(3));
        if (!s.members.empty())
            offer(s);
    }
}

void Generator::make_mutexes()
{
    if (!random_.chance(70))
        return;
    Step s = step(Verb::mutexes);
    for (int p = 0; p < limits_.ranks; ++p)
        s.sizes.push_back(random_.small(4));
    s.variant = static_cast<int>(random_.below(2));
    offer(s);
}

void Generator::make_regions()
{
    if (profile_.bursts)
        return make_burst_region();
    for (long n = random_.between(1, 4); n > 0; --n)
        make_region();
}

// One block, as large as all processes can foresee its sums in a moment.
void Generator::make_burst_region()
{
    Step s = step(Verb::alloc);
    s.id = ++last_region_;
    s.sizes.assign(static_cast<std::size_t>(limits_.ranks), 0);
    const int target = any_process();
    const long most = std::clamp(10000000l / (limits_.ranks * actors_), 64000l, 1000000l);
    const long size = random_.between(most / 8, most) / 16 * 16;
    s.sizes[static_cast<std::size_t>(target)] = size;
    offer(s);
    Step block = step(Verb::block);
    block.region = s.id;
    block.target = target;
    block.type = static_cast<Type>(random_.between(1, 6));
    block.bytes = size;
    block.id = ++last_block_;
    offer(block);
}

void Generator::make_region()
{
    Step s = step(Verb::alloc);
    s.id = ++last_region_;
    auto group = rules_.groups().begin();
    if (random_.chance(profile_.joins > 20 ? 55 : 35))
        std::advance(group, random_.below(static_cast<long>(rules_.groups().size())));
    s.group = group->first;
    s.variant = static_cast<int>(random_.below(3));
    const long most = random_.chance(profile_.large) ? 400000 / limits_.ranks
                      : random_.chance(50)           ? 700
                                                     : 6000;
    const bool alike = random_.chance(50);
    const long size = random_.between(1, most);
    for (std::size_t i = 0; i < group->second.size(); ++i)
        s.sizes.push_back(random_.chance(8) ? 0 : alike ? size : random_.between(1, most));
    const List members = group->second;
    if (!offer(s))
        return;
    for (std::size_t i = 0; i < members.size(); ++i)
        make_blocks(s.id, static_cast<int>(members[i]), s.sizes[i]);
}

void Generator::make_blocks(int region, int target, long size)
{
    long at = random_.small(30);
    for (int n = 0; n < 6 && at < size; ++n) {
        Step s = step(Verb::block);
        s.region = region;
        s.target = target;
        s.type = profile_.storms && !profile_.hammers && random_.chance(80)
                     ? static_cast<Type>(random_.between(1, 2))
                 : random_.chance(profile_.hammers ? 10 : 45) ? Type::bytes
                                                              : static_cast<Type>(random_.between(1, 6));
        const long unit = element_bytes(s.type);
        if (!profile_.shapes.odd || random_.chance(85)) // otherwise off its alignment
            at = (at + unit - 1) / unit * unit;
        const long room = (size - at) / unit;
        if (room < 1)
            break;
        if (random_.chance(30) && room >= 12 && !profile_.hammers) {
            at = make_columns(s, at, room);
        } else {
            s.at = at;
            s.bytes =
                unit * (random_.chance(30) ? 1 + random_.below(std::min(room, 4l)) : 1 + random_.below(room));
            s.id = ++last_block_;
            offer(s);
            at += s.bytes;
        }
        at += random_.chance(50) ? 0 : random_.small(20);
    }
}

long Generator::make_columns(Step s, long at, long room)
{
    const long unit = element_bytes(s.type);
    const long rows = random_.between(2, std::min(room / 4, 30l));
    const long pitch = random_.between(3, room / rows);
    long column = 0;
    s.rows = rows;
    s.pitch = pitch * unit;
    while (column < pitch) {
        const long width = random_.between(1, pitch - column);
        s.at = at + column * unit;
        s.bytes = width * unit;
        s.id = ++last_block_;
        s.data = random_.word();
        offer(s);
        column += width + random_.small(3);
    }
    return at + rows * pitch * unit;
}

void Generator::renew()
{
    std::vector<int> ids;
    for (const auto& [id, region] : rules_.regions())
        if (region.exists)
            ids.push_back(id);
    std::shuffle(ids.begin(), ids.end(), random_.engine());
    for (const int id : ids) {
        if (!random_.chance(60))
            continue;
        Step s = step(Verb::free);
        s.region = id;
        offer(s);
    }
    if (random_.chance(30)) {
        Step s = step(Verb::mutexes_free);
        if (offer(s))
            make_mutexes();
    }
    if (random_.chance(30)) {
        Step s = step(Verb::group_free);
        s.group = last_group_;
        offer(s);
        make_groups();
    }
    make_regions();
}

void Generator::set_mode()
{
    for (const auto& [id, region] : rules_.regions()) {
        if (!region.exists || !random_.chance(40))
            continue;
        constexpr int modes[] = {ARMCIX_MODE_ALL,
                                 ARMCIX_MODE_ALL,
                                 ARMCIX_MODE_CONFLICT_FREE,
                                 ARMCIX_MODE_NO_LOAD_STORE,
                                 ARMCIX_MODE_READ_ONLY,
                                 ARMCIX_MODE_ACC_ONLY,
                                 ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE,
                                 ARMCIX_MODE_ACC_ONLY | ARMCIX_MODE_NO_LOAD_STORE,
                                 ARMCIX_MODE_READ_ONLY | ARMCIX_MODE_CONFLICT_FREE};
        Step s = step(Verb::mode);
        s.region = id;
        s.value = modes[random_.below(std::size(modes))];
        offer(s);
    }
}

bool Generator::may_reach(int actor, int region)
{
    const List& members = rules_.regions().at(region).members;
    return limits_.has_outsiders ||
           std::find(members.begin(), members.end(), rules_.process_of(actor)) != members.end();
}

int Generator::any_actor(int region)
{
    if (limits_.has_outsiders)
        return static_cast<int>(random_.below(actors_));
    const List& members = rules_.regions().at(region).members;
    return first_actor(static_cast<int>(
               members[static_cast<std::size_t>(random_.below(static_cast<long>(members.size())))])) +
           static_cast<int>(random_.below(limits_.threads));
}

void Generator::use_blocks()
{
    by_kind_.assign(8, {});
    std::vector<std::pair<int, Step>> shapes;
    for (const auto& [id, block] : rules_.blocks())
        shapes.emplace_back(id, block.shape);
    for (const auto& [id, shape] : shapes) {
        for (int tries = 0; tries < 4; ++tries) {
            const auto kind = static_cast<Kind>(random_.weighted(profile_.weights));
            if (kind == Kind::none)
                break;
            Step s = step(Verb::use);
            s.data = 0;
            s.id = id;
            s.kind = kind;
            if (s.kind == Kind::exclusive) {
                s.actor = random_.chance(20) && may_reach(first_actor(shape.target), shape.region)
                              ? first_actor(shape.target)
                              : any_actor(shape.region);
            } else if (s.kind == Kind::section) {
                s.actor = any_process();
                if (rules_.mutexes().empty())
                    continue;
                s.value = random_.below(rules_.mutexes()[static_cast<std::size_t>(s.actor)]);
                if (shape.bytes > 6000)
                    continue;
            }
            if (offer(s)) {
                by_kind_[static_cast<std::size_t>(kind)].push_back(id);
                break;
            }
        }
    }
}

const Rules::Block* Generator::largest_block(Kind kind)
{
    const Rules::Block* largest = nullptr;
    for (const int id : by_kind_[static_cast<std::size_t>(kind)]) {
        const Rules::Block& block = rules_.blocks().at(id);
        if (block.shape.rows == 1 && (largest == nullptr || block.shape.bytes > largest->shape.bytes))
            largest = &block;
    }
    return largest;
}

const Rules::Block* Generator::any_block(Kind kind, int* id)
{
    const auto& ids = by_kind_[static_cast<std::size_t>(kind)];
    if (ids.empty())
        return nullptr;
    const int chosen = ids[static_cast<std::size_t>(random_.below(static_cast<long>(ids.size())))];
    if (id != nullptr)
        *id = chosen;
    return &rules_.blocks().at(chosen);
}

} // namespace oracle
