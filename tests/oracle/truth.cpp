#include "tests/oracle/truth.hpp"

#include "tests/oracle/messages.hpp"

#include <armcix.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace oracle {

namespace {

long word_at(const std::byte* place, bool is_long)
{
    long wide = 0;
    int narrow = 0;
    if (is_long) {
        std::memcpy(&wide, place, sizeof wide);
        return wide;
    }
    std::memcpy(&narrow, place, sizeof narrow);
    return narrow;
}

void set_word(std::byte* place, bool is_long, long value)
{
    const int narrow = static_cast<int>(value);
    std::memcpy(place, is_long ? static_cast<const void*>(&value) : &narrow,
                is_long ? sizeof value : sizeof narrow);
}

bool is_long(const Step& rmw)
{
    return rmw.op == ARMCI_FETCH_AND_ADD_LONG || rmw.op == ARMCI_SWAP_LONG;
}

bool swaps(const Step& rmw)
{
    return rmw.op == ARMCI_SWAP || rmw.op == ARMCI_SWAP_LONG;
}

std::string described(const char* what, const Program& program, int index)
{
    return std::string(what) + " at step " + std::to_string(index) + ": " +
           text_of(program.steps[static_cast<std::size_t>(index)]);
}

} // namespace

Truth::Truth(const Program& program, std::vector<int> nodes)
    : program_(program), nodes_(std::move(nodes)), rules_(program.ranks, program.threads)
{
}

void Truth::make_slices(const Step& step)
{
    const Rules::Region& region = rules_.regions().at(step.id);
    for (std::size_t i = 0; i < region.members.size(); ++i)
        memory_[{step.id, static_cast<int>(region.members[i])}] = noise(region.sizes[i], step.data + i);
}

void Truth::fill_block(const Step& step)
{
    for (long row = 0; row < step.rows; ++row)
        fill(at(step.region, step.target, step.at + row * step.pitch), step.bytes, step.type, step.data,
             row * step.bytes);
}

Bytes Truth::section_content(int index) const
{
    const Step& step = program_.steps[static_cast<std::size_t>(index)];
    const Step& shape = rules_.blocks().at(step.id).shape;
    Bytes content = noise(shape.bytes, step.data);
    const long stamp = index + 1;
    std::memcpy(content.data(), &stamp, sizeof stamp);
    return content;
}

Kind Truth::kind_at(int region, int target, long place) const
{
    for (const auto& [id, block] : rules_.blocks()) {
        const Step& s = block.shape;
        const long row = s.rows == 1 ? 0 : (place - s.at) / s.pitch;
        if (s.region == region && s.target == target && place >= s.at && row < s.rows &&
            place - s.at - row * s.pitch < s.bytes)
            return block.kind;
    }
    return Kind::none;
}

Expected Truth::transfer(const Step& step, int me)
{
    const int actor = rules_.process_of(step.actor);
    const bool gets = step.verb == Verb::get;
    Expected e;
    if (gets && step.origin < 0 && actor != me)
        return e; // changes no global memory
    const auto segments = segments_of(step);
    const long bytes = origin_bytes(segments);
    if (step.origin >= 0) {
        if (bytes > 0)
            e.before.assign(at(step.origin, actor, step.origin_at),
                            at(step.origin, actor, step.origin_at) + bytes);
    } else {
        e.before = gets ? noise(bytes, step.data) : origin_of(step, segments);
    }
    if (gets)
        e.after = e.before;
    for (const Segment& s : segments) {
        std::byte* const there = at(s.region, step.target, s.there);
        if (gets)
            std::memcpy(e.after.data() + s.here, there, static_cast<std::size_t>(s.bytes));
        else if (step.verb == Verb::acc)
            add(there, e.before.data() + s.here, s.bytes, step.type, step.value, step.times);
        else
            std::memcpy(there, e.before.data() + s.here, static_cast<std::size_t>(s.bytes));
    }
    if (!gets && actor == me)
        e.after = e.before;
    if (step.origin >= 0 && bytes > 0) {
        if (gets) // into the actor's slice
            std::copy(e.after.begin(), e.after.end(), at(step.origin, actor, step.origin_at));
        else // which the put itself may have changed
            e.after.assign(at(step.origin, actor, step.origin_at),
                           at(step.origin, actor, step.origin_at) + bytes);
    }
    return e;
}

Expected Truth::rmw(int index)
{
    const Step& step = program_.steps[static_cast<std::size_t>(index)];
    const Kind kind = kind_at(step.region, step.target, step.at);
    if (kind == Kind::fadd || kind == Kind::swap) {
        chains_[{{step.region, step.target}, step.at}].push_back(index);
        return {};
    }
    std::byte* const word = at(step.region, step.target, step.at);
    const long old = word_at(word, is_long(step));
    set_word(word, is_long(step),
             swaps(step) ? step.value
             : is_long(step)
                 ? old + step.value
                 : static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(step.value)));
    Expected e;
    e.after.resize(sizeof old);
    std::memcpy(e.after.data(), &old, sizeof old);
    return e;
}

Expected Truth::play(int index, int me)
{
    const Step& step = program_.steps[static_cast<std::size_t>(index)];
    if (const char* const why = rules_.take(step))
        throw std::logic_error(described(why, program_, index));
    switch (step.verb) {
    case Verb::alloc:
        make_slices(step);
        return {};
    case Verb::block:
        fill_block(step);
        return {};
    case Verb::free:
        std::erase_if(memory_, [&](const auto& entry) { return entry.first.first == step.region; });
        return {};
    case Verb::put:
    case Verb::get:
    case Verb::acc:
        return transfer(step, me);
    case Verb::flagged: {
        Expected e = transfer(step, me);
        set_word(at(step.flag_region, step.target, step.flag_at), false, step.value);
        return e;
    }
    case Verb::store:
    case Verb::load: {
        std::byte* const here = at(step.region, rules_.process_of(step.actor), step.at);
        if (step.verb == Verb::store)
            fill(here, step.bytes, step.type, step.data, 0);
        return {{}, Bytes(here, here + step.bytes)};
    }
    case Verb::rmw:
        return rmw(index);
    case Verb::section: {
        const Step& shape = rules_.blocks().at(step.id).shape;
        chains_[{{shape.region, shape.target}, shape.at}].push_back(index);
        return {Bytes(at(shape.region, shape.target, shape.at),
                      at(shape.region, shape.target, shape.at) + shape.bytes),
                section_content(index)};
    }
    case Verb::message:
        return {{}, noise(step.bytes, step.data)};
    case Verb::copy:
        return {noise(step.bytes + step.from, step.data), {}};
    case Verb::reduce:
    case Verb::broadcast:
    case Verb::select: {
        const List members = scope_members(step.scope, rules_.groups().at(step.group), nodes_, me);
        return members.empty() ? Expected() : Expected{contribution(step, me), outcome(step, members, me)};
    }
    default:
        return {};
    }
}

// Fetch-and-adds of positive numbers: sorted by what they found, each found the sum of those before.
std::string Truth::settle_sums(const Place& place, const Chain& chain, const std::map<int, long>& found)
{
    const auto& [slice, byte] = place;
    std::vector<int> order(chain);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return found.at(a) < found.at(b); });
    const bool wide = is_long(program_.steps[static_cast<std::size_t>(chain[0])]);
    std::byte* const word = at(slice.first, slice.second, byte);
    long sum = word_at(word, wide);
    std::map<int, int> last; // step of each actor
    for (const int index : order) {
        const Step& step = program_.steps[static_cast<std::size_t>(index)];
        if (found.at(index) != sum)
            return described("a fetch-and-add", program_, index) + " found " +
                   std::to_string(found.at(index)) + ", not " + std::to_string(sum);
        if (const auto [before, is_first] = last.emplace(step.actor, index);
            !is_first && before->second > index)
            return described("a fetch-and-add", program_, index) + " went before an earlier one of its actor";
        last[step.actor] = index;
        sum += step.value;
    }
    set_word(word, wide, sum);
    return "";
}

// Swaps of unique values, and sections: each found what exactly one other left, and the first of them what
// was there.
std::string Truth::settle_path(const Place& place, const Chain& chain, const std::map<int, long>& found)
{
    const auto& [slice, byte] = place;
    std::byte* const there = at(slice.first, slice.second, byte);
    const Step& first = program_.steps[static_cast<std::size_t>(chain[0])];
    const bool is_section = first.verb == Verb::section;
    const auto left_by = [&](int index) {
        return is_section ? index : program_.steps[static_cast<std::size_t>(index)].value;
    };
    std::map<long, int> next; // by what was found
    for (const int index : chain)
        if (!next.emplace(found.at(index), index).second)
            return described("two steps found the same; one", program_, index) + " found " +
                   std::to_string(found.at(index));
    long now = is_section ? -1 : word_at(there, is_long(first));
    std::map<int, int> last;
    int index = -1;
    for (std::size_t n = 0; n < chain.size(); ++n) {
        const auto step = next.find(now);
        if (step == next.end())
            return described("no step found what was left", program_, index < 0 ? chain[0] : index) + " (" +
                   std::to_string(now) + ")";
        index = step->second;
        const int actor = program_.steps[static_cast<std::size_t>(index)].actor;
        if (const auto [before, is_first] = last.emplace(actor, index); !is_first && before->second > index)
            return described("a step", program_, index) + " went before an earlier one of its actor";
        last[actor] = index;
        now = left_by(index);
    }
    if (is_section) {
        const Bytes content = section_content(index);
        std::copy(content.begin(), content.end(), there);
    } else {
        set_word(there, is_long(first), now);
    }
    return "";
}

std::string Truth::settle(const std::vector<Event>& events)
{
    std::map<int, long> found;
    for (const Event& event : events)
        found[event.step] = event.found;
    std::string wrong;
    for (const auto& [place, chain] : chains_) {
        if (std::any_of(chain.begin(), chain.end(), [&](int index) { return found.count(index) == 0; })) {
            wrong += "a step found nothing that makes sense\n";
            continue;
        }
        const Step& first = program_.steps[static_cast<std::size_t>(chain[0])];
        const bool sums = first.verb == Verb::rmw && !swaps(first);
        if (const std::string one =
                sums ? settle_sums(place, chain, found) : settle_path(place, chain, found);
            !one.empty())
            wrong += one + '\n';
    }
    chains_.clear();
    return wrong;
}

} // namespace oracle
