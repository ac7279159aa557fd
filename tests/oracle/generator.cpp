#include "tests/oracle/generator.hpp"

#include "tests/oracle/messages.hpp"
#include "tests/oracle/rules.hpp"
#include "tests/oracle/shapes.hpp"

#include <armcix.h>

#include <algorithm>

namespace oracle {

namespace {

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
    bool hammers;      // all add to the whole of a few large blocks, so that sums meet
};

class Generator {
public:
    Generator(std::uint64_t seed, const Limits& limits)
        : limits_(limits), random_(seed), rules_(limits.ranks, limits.threads),
          actors_(limits.ranks * limits.threads)
    {
        program_.ranks = limits.ranks;
        program_.threads = limits.threads;
        program_.seed = seed;
        draw_profile();
    }

    Program make()
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
            for (long n = 0; n < steps; ++n)
                act();
            end_round();
        }
        return std::move(program_);
    }

private:
    using Blocks = std::map<int, Rules::Block>;

    bool offer(const Step& step)
    {
        if (rules_.take(step) != nullptr)
            return false;
        program_.steps.push_back(step);
        return true;
    }
    Step step(Verb verb)
    {
        Step made;
        made.verb = verb;
        made.data = random_.word();
        return made;
    }
    // Far from what words hold: sums that are added to it later must not make it another one's.
    long fresh_value() { return 1000000 + random_.below(1900000000); }
    int any_process() { return static_cast<int>(random_.below(limits_.ranks)); }
    int first_actor(int process) const { return process * limits_.threads; }

    void draw_profile()
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
        p.hammers = r.chance(10);
        if (p.hammers) {
            p.large = 100;
            p.weights[static_cast<int>(Kind::acc)] = 60;
            p.shapes.odd = false;
        }
        p.renewed = static_cast<int>(r.chance(60) ? r.between(20, 100) : 0);
    }

    // --- What there is

    void make_groups()
    {
        for (long n = random_.below(3); n > 0; --n) {
            Step s = step(Verb::group);
            s.id = ++last_group_;
            for (int p = 0; p < limits_.ranks; ++p)
                if (random_.chance(60))
                    s.members.push_back(p);
            if (random_.chance(50))
                std::shuffle(s.members.begin(), s.members.end(), random_.engine());
            s.variant = static_cast<int>(random_.below(3));
            if (!s.members.empty())
                offer(s);
        }
    }

    void make_mutexes()
    {
        if (!random_.chance(70))
            return;
        Step s = step(Verb::mutexes);
        for (int p = 0; p < limits_.ranks; ++p)
            s.sizes.push_back(random_.small(4));
        s.variant = static_cast<int>(random_.below(2));
        offer(s);
    }

    void make_regions()
    {
        for (long n = random_.between(1, 4); n > 0; --n)
            make_region();
    }

    void make_region()
    {
        Step s = step(Verb::alloc);
        s.id = ++last_region_;
        auto group = rules_.groups().begin();
        if (random_.chance(35))
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

    void make_blocks(int region, int target, long size)
    {
        long at = random_.small(30);
        for (int n = 0; n < 6 && at < size; ++n) {
            Step s = step(Verb::block);
            s.region = region;
            s.target = target;
            s.type = random_.chance(profile_.hammers ? 10 : 45) ? Type::bytes
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
                s.bytes = unit * (random_.chance(30) ? 1 + random_.below(std::min(room, 4l))
                                                     : 1 + random_.below(room));
                s.id = ++last_block_;
                offer(s);
                at += s.bytes;
            }
            at += random_.chance(50) ? 0 : random_.small(20);
        }
    }

    // Blocks side by side in the same rows, as parts of a matrix.
    long make_columns(Step s, long at, long room)
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

    void renew()
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

    void set_mode()
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

    // --- Who uses it in this round

    bool may_reach(int actor, int region)
    {
        const List& members = rules_.regions().at(region).members;
        return limits_.has_outsiders ||
               std::find(members.begin(), members.end(), rules_.process_of(actor)) != members.end();
    }

    int any_actor(int region)
    {
        if (limits_.has_outsiders)
            return static_cast<int>(random_.below(actors_));
        const List& members = rules_.regions().at(region).members;
        return first_actor(static_cast<int>(
                   members[static_cast<std::size_t>(random_.below(static_cast<long>(members.size())))])) +
               static_cast<int>(random_.below(limits_.threads));
    }

    void use_blocks()
    {
        by_kind_.assign(8, {});
        std::vector<std::pair<int, Step>> shapes;
        for (const auto& [id, block] : rules_.blocks())
            shapes.emplace_back(id, block.shape);
        int all = 0;
        for (const int weight : profile_.weights)
            all += weight;
        for (const auto& [id, shape] : shapes) {
            for (int tries = 0; tries < 4; ++tries) {
                long draw = random_.below(all);
                int kind = 0;
                while (draw >= profile_.weights[kind])
                    draw -= profile_.weights[kind++];
                if (kind == 0)
                    break;
                Step s = step(Verb::use);
                s.data = 0;
                s.id = id;
                s.kind = static_cast<Kind>(kind);
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

    const Rules::Block* any_block(Kind kind, int* id = nullptr)
    {
        const auto& ids = by_kind_[static_cast<std::size_t>(kind)];
        if (ids.empty())
            return nullptr;
        const int chosen = ids[static_cast<std::size_t>(random_.below(static_cast<long>(ids.size())))];
        if (id != nullptr)
            *id = chosen;
        return &rules_.blocks().at(chosen);
    }

    // --- Steps

    void act()
    {
        constexpr void (Generator::*actions[])() = {
            &Generator::transfer, &Generator::complete_some, &Generator::fence,   &Generator::word,
            &Generator::direct,   &Generator::pass,          &Generator::flagged, &Generator::message,
            &Generator::section,  &Generator::of_all,        &Generator::copy,    &Generator::idle};
        static_assert(std::size(actions) == std::size(Profile().verbs));
        int all = 0;
        for (const int weight : profile_.verbs)
            all += weight;
        long draw = random_.below(all);
        std::size_t n = 0;
        while (draw >= profile_.verbs[n])
            draw -= profile_.verbs[n++];
        (this->*actions[n])();
    }

    void transfer()
    {
        static constexpr Kind kinds[] = {Kind::exclusive, Kind::exclusive, Kind::exclusive,
                                         Kind::read,      Kind::acc,       Kind::acc};
        const Rules::Block* const block = any_block(kinds[random_.below(std::size(kinds))]);
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
            s = as_a_whole(s, place);
        s.variant = static_cast<int>(random_.below(8));
        if (!random_.chance(profile_.blocking))
            s.how =
                random_.chance(30) ? static_cast<int>(implicit) : static_cast<int>(random_.below(handles));
        if (s.is_vector() && random_.chance(20))
            join_another_region(s);
        if (s.type == Type::bytes && s.verb != Verb::acc && random_.chance(profile_.origin))
            take_global_buffer(s);
        if (offer(s))
            return;
        if (s.how != blocking && random_.chance(50)) {
            complete(s.actor);
            if (offer(s))
                return;
        }
        complete(s.actor);
        s.how = blocking;
        offer(s);
    }

    static Step as_a_whole(Step s, const Step& block)
    {
        s.counts.clear(), s.there.clear(), s.here.clear(), s.lengths.clear(), s.regions.clear();
        s.from = 0;
        s.at = block.at;
        s.bytes = block.bytes;
        return s;
    }

    // Segments in a further block of the same process.
    void join_another_region(Step& s)
    {
        const Kind kind = s.verb == Verb::acc && random_.chance(50) ? Kind::acc : Kind::exclusive;
        const Rules::Block* const other = any_block(kind);
        if (other == nullptr || other->shape.target != s.target || other->shape.type != s.type ||
            !may_reach(s.actor, other->shape.region))
            return;
        Step more = s;
        more.lengths.clear(), more.there.clear(), more.here.clear(), more.counts.clear();
        Shapes vectors = profile_.shapes;
        vectors.strided = false;
        shape(more, other->shape, element_bytes(s.type), vectors, random_);
        if (!more.is_vector())
            return;
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

    void take_global_buffer(Step& s)
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

    void complete(int actor)
    {
        for (const auto& [how, target] : rules_.unfinished(actor))
            complete_one(actor, how, target);
        if (!rules_.unfinished(actor).empty()) {
            Step s = step(Verb::wait_all);
            s.actor = actor;
            offer(s);
        }
    }

    void complete_one(int actor, int how, int target)
    {
        Step s = step(how == implicit      ? random_.chance(60) ? Verb::wait_proc : Verb::wait_all
                      : random_.chance(60) ? Verb::wait
                                           : Verb::test);
        s.actor = actor;
        s.target = target;
        s.how = how;
        s.data = 0;
        offer(s);
    }

    void complete_some()
    {
        const int actor = static_cast<int>(random_.below(actors_));
        const auto all = rules_.unfinished(actor);
        if (all.empty())
            return;
        auto one = all.begin();
        std::advance(one, random_.below(static_cast<long>(all.size())));
        complete_one(actor, one->first, one->second);
    }

    void fence()
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

    void word()
    {
        static constexpr Kind kinds[] = {Kind::exclusive, Kind::fadd, Kind::fadd, Kind::swap, Kind::swap};
        const Rules::Block* const block = any_block(kinds[random_.below(std::size(kinds))]);
        if (block == nullptr || (block->shape.type != Type::integer && block->shape.type != Type::whole))
            return;
        const Step& place = block->shape;
        const long unit = element_bytes(place.type);
        const bool swaps =
            block->kind == Kind::swap || (block->kind == Kind::exclusive && random_.chance(40));
        Step s = step(Verb::rmw);
        s.data = 0;
        s.region = place.region;
        s.target = place.target;
        s.actor = block->kind == Kind::exclusive ? block->actor : any_actor(place.region);
        // The same words again and again, so that processes meet.
        const long words =
            block->kind == Kind::exclusive ? place.bytes / unit : std::min(place.bytes / unit, 3l);
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

    void direct()
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

    void pass()
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

    void flagged()
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

    void message()
    {
        Step s = step(Verb::message);
        s.actor = first_actor(any_process());
        s.peer = first_actor(any_process());
        s.bytes = random_.chance(5) ? random_.below(100000) : random_.small(300);
        s.variant = static_cast<int>(random_.below(2));
        offer(s);
    }

    void section()
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

    void of_all()
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

    void copy()
    {
        Step s = step(Verb::copy);
        s.actor = static_cast<int>(random_.below(actors_));
        s.bytes = random_.small(2000);
        s.from = random_.small(40);
        s.variant = static_cast<int>(random_.below(2));
        s.peer = s.actor;
        offer(s);
    }

    void idle()
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

    void end_round()
    {
        const bool checks = random_.chance(profile_.checks) || rules_.has_chains();
        const int variant = static_cast<int>(random_.small(5)) % 4;
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
        offer(s);
    }

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

} // namespace

Program generate(std::uint64_t seed, const Limits& limits)
{
    return Generator(seed, limits).make();
}

} // namespace oracle
