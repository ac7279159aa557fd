#include "tests/oracle/rules.hpp"

#include <armcix.h>

#include <algorithm>
#include <numeric>

namespace oracle {

namespace {

bool overlap(long a, long a_bytes, long b, long b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

bool is_write(Verb verb)
{
    return verb != Verb::get && verb != Verb::load;
}

// Segments that overlap where they are written must bring the same bytes there, or add.
const char* why_not_overlapping(const Step& step, std::vector<Segment> segments)
{
    const bool to_here = step.verb == Verb::get;
    std::sort(segments.begin(), segments.end(), [&](const Segment& a, const Segment& b) {
        return to_here ? a.here < b.here : std::pair(a.region, a.there) < std::pair(b.region, b.there);
    });
    const bool is_one_image = std::all_of(segments.begin(), segments.end(), [&](const Segment& s) {
        return s.region == segments[0].region && s.there - s.here == segments[0].there - segments[0].here;
    });
    for (std::size_t i = 1; i < segments.size(); ++i) {
        const Segment &a = segments[i - 1], &b = segments[i];
        const bool meet =
            to_here ? b.here < a.here + a.bytes : a.region == b.region && b.there < a.there + a.bytes;
        if (!meet)
            continue;
        if (step.verb == Verb::acc) {
            if ((b.there - a.there) % element_bytes(step.type) != 0)
                return "elements overlap in part";
        } else if (!is_one_image) {
            return "segments that overlap bring different bytes";
        }
    }
    // Values are made by place in the buffer: two that overlap there in part would spoil each other.
    if (step.type != Type::bytes) {
        std::sort(segments.begin(), segments.end(),
                  [](const Segment& a, const Segment& b) { return a.here < b.here; });
        for (std::size_t i = 1; i < segments.size(); ++i)
            if (segments[i].here < segments[i - 1].here + segments[i - 1].bytes &&
                (segments[i].here - segments[i - 1].here) % element_bytes(step.type) != 0)
                return "elements of the origin overlap in part";
    }
    return nullptr;
}

} // namespace

Rules::Rules(int ranks, int threads) : ranks_(ranks), threads_(threads)
{
    List world(static_cast<std::size_t>(ranks));
    std::iota(world.begin(), world.end(), 0);
    groups_[0] = world;
}

long Rules::size_of(int region, int target) const
{
    const auto found = regions_.find(region);
    if (found == regions_.end() || !found->second.exists)
        return 0;
    const Region& r = found->second;
    const auto member = std::find(r.members.begin(), r.members.end(), target);
    return member == r.members.end() ? 0 : r.sizes[static_cast<std::size_t>(member - r.members.begin())];
}

std::set<std::pair<int, int>> Rules::unfinished(int actor) const
{
    std::set<std::pair<int, int>> all;
    for (const auto& [key, target] : handle_target_)
        if (key.first == actor)
            all.emplace(key.second, target);
    for (const Pending& p : pending_)
        if (p.actor == actor && p.how == implicit)
            all.emplace(p.how, p.target);
    return all;
}

bool Rules::has_chains() const
{
    return std::any_of(blocks_.begin(), blocks_.end(), [](const auto& entry) {
        const Kind kind = entry.second.kind;
        return kind == Kind::fadd || kind == Kind::swap || kind == Kind::section;
    });
}

const char* Rules::take(const Step& step)
{
    switch (step.verb) {
    case Verb::block:
    case Verb::use:
        return take_declaration(step);
    case Verb::put:
    case Verb::get:
    case Verb::acc:
        return take_transfer(step);
    case Verb::rmw:
        return take_rmw(step);
    case Verb::store:
    case Verb::load:
        return take_direct(step);
    case Verb::pass:
    case Verb::flagged:
    case Verb::message:
    case Verb::section:
        return take_hand_over(step);
    case Verb::sync:
        return take_sync(step);
    case Verb::wait:
    case Verb::test:
    case Verb::wait_proc:
    case Verb::wait_all:
    case Verb::fence:
    case Verb::all_fence:
    case Verb::group_fence:
        return take_completion(step);
    case Verb::compute:
    case Verb::progress:
    case Verb::copy:
        return is_actor(step.actor) && step.value >= 0 && step.bytes >= 0
                   ? nullptr
                   : "no such actor, or a negative length";
    default:
        return take_collective(step);
    }
}

const char* Rules::take_collective(const Step& step)
{
    switch (step.verb) {
    case Verb::group: {
        std::set<long> distinct(step.members.begin(), step.members.end());
        if (groups_.count(step.id) != 0 || step.members.empty() || distinct.size() != step.members.size() ||
            *distinct.begin() < 0 || *distinct.rbegin() >= ranks_)
            return "a group exists, or its members are none";
        groups_[step.id] = step.members;
        return nullptr;
    }
    case Verb::group_free:
        if (step.group == 0 || groups_.count(step.group) == 0)
            return "no such group";
        for (const auto& [id, region] : regions_)
            if (region.exists && region.group == step.group)
                return "the group has a region";
        groups_.erase(step.group);
        return nullptr;
    case Verb::alloc: {
        const auto group = groups_.find(step.group);
        if (group == groups_.end() || regions_[step.id].exists || step.sizes.size() != group->second.size())
            return "no such group, or the region exists";
        regions_[step.id] = {step.group, group->second, step.sizes, ARMCIX_MODE_ALL, true, false};
        return nullptr;
    }
    case Verb::free: {
        Region& region = regions_[step.region];
        if (!region.exists || region.is_used)
            return "no such region, or it is used in this round";
        region.exists = false;
        for (const long target : region.members)
            at_.erase({step.region, static_cast<int>(target)});
        for (auto i = blocks_.begin(); i != blocks_.end();)
            i = i->second.shape.region == step.region ? blocks_.erase(i) : std::next(i);
        return nullptr;
    }
    case Verb::mode: {
        Region& region = regions_[step.region];
        const long m = step.value;
        if (!region.exists || region.is_used || m < 0 || m > 15 ||
            ((m & ARMCIX_MODE_READ_ONLY) && (m & ARMCIX_MODE_ACC_ONLY)))
            return "no such region, or it is used, or no such mode";
        region.mode = static_cast<int>(m);
        return nullptr;
    }
    case Verb::mutexes:
        if (!mutexes_.empty() || static_cast<int>(step.sizes.size()) != ranks_)
            return "mutexes exist, or their numbers are missing";
        mutexes_ = step.sizes;
        return nullptr;
    case Verb::mutexes_free:
        for (const auto& [id, block] : blocks_)
            if (block.kind == Kind::section)
                return "a section has them";
        if (mutexes_.empty())
            return "no mutexes";
        mutexes_.clear();
        return nullptr;
    default: // messages
        if (groups_.count(step.group) == 0 || step.bytes < 0)
            return "no such group";
        if (step.verb == Verb::broadcast) {
            const List& members = groups_[step.group];
            if (std::find(members.begin(), members.end(), step.root) == members.end())
                return "no such root";
        }
        return nullptr;
    }
}

const char* Rules::take_declaration(const Step& step)
{
    if (step.verb == Verb::block) {
        if (blocks_.count(step.id) != 0)
            return "the block exists";
        const long end = step.at + (step.rows - 1) * step.pitch + step.bytes;
        if (step.at < 0 || step.rows < 1 || step.bytes < 1 || (step.rows > 1 && step.pitch < step.bytes) ||
            end > size_of(step.region, step.target) || step.bytes % element_bytes(step.type) != 0)
            return "no place for the block";
        for (const auto& [id, other] : blocks_) {
            const Step& o = other.shape;
            if (o.region != step.region || o.target != step.target)
                continue;
            for (long i = 0; i < o.rows; ++i)
                for (long j = 0; j < step.rows; ++j)
                    if (overlap(o.at + i * o.pitch, o.bytes, step.at + j * step.pitch, step.bytes))
                        return "it overlaps another";
        }
        Block& block = blocks_[step.id];
        block.shape = step;
        at_[{step.region, step.target}].emplace_back(step.id, &block);
        return nullptr;
    }
    const auto found = blocks_.find(step.id);
    if (found == blocks_.end())
        return "no such block";
    Block& block = found->second;
    const Step& shape = block.shape;
    Region& region = regions_[shape.region];
    if (block.kind != Kind::none)
        return "it is used in another way";
    const bool is_integer = shape.type == Type::integer || shape.type == Type::whole;
    const bool is_aligned = (shape.at | shape.pitch) % element_bytes(shape.type) == 0;
    switch (step.kind) {
    case Kind::exclusive:
        if (!is_actor(step.actor))
            return "no such actor";
        break;
    case Kind::read:
        break;
    case Kind::acc:
        if (shape.type == Type::bytes)
            return "bytes have no sums that are fixed";
        break;
    case Kind::fadd:
    case Kind::swap:
        if (!is_integer || !is_aligned)
            return "no aligned words";
        break;
    case Kind::section:
        if (shape.rows != 1 || shape.bytes < 16 || shape.type != Type::bytes || step.actor < 0 ||
            step.actor >= ranks_ || mutexes_.empty() || step.value < 0 ||
            step.value >= mutexes_[static_cast<std::size_t>(step.actor)])
            return "no place for a section, or no such mutex";
        break;
    case Kind::flag:
        if (shape.type != Type::integer || !is_aligned)
            return "no aligned words";
        break;
    case Kind::none:
        return "which kind?";
    }
    if ((region.mode & ARMCIX_MODE_READ_ONLY) && step.kind != Kind::read)
        return "the region is read only";
    if (region.mode & ARMCIX_MODE_ACC_ONLY) {
        if (step.kind != Kind::acc)
            return "the region takes sums only";
        for (const auto& [id, other] : blocks_)
            if (other.shape.region == shape.region && other.kind == Kind::acc &&
                other.shape.type != shape.type)
                return "the region takes sums of one type";
    }
    if ((region.mode & ARMCIX_MODE_CONFLICT_FREE) && step.kind != Kind::exclusive &&
        step.kind != Kind::read && step.kind != Kind::acc)
        return "the region is free of conflicts";
    block.kind = step.kind;
    block.actor = step.actor;
    block.mutex = static_cast<int>(step.value);
    block.put_unfenced = block.others_unfenced = false;
    block.touched.clear();
    if (region.mode & ARMCIX_MODE_CONFLICT_FREE)
        block.touched.resize(static_cast<std::size_t>((shape.rows - 1) * shape.pitch + shape.bytes));
    region.is_used = true;
    return nullptr;
}

// The block of which one row holds these bytes.
Rules::Block* Rules::find(int region, int target, long at, long bytes, int* id)
{
    const auto found = at_.find({region, target});
    if (found == at_.end())
        return nullptr;
    for (auto& [number, block] : found->second) {
        const Step& s = block->shape;
        if (at < s.at)
            continue;
        const long row = s.rows == 1 ? 0 : (at - s.at) / s.pitch;
        const long column = at - s.at - row * s.pitch;
        if (row < s.rows && column + bytes <= s.bytes) {
            if (id != nullptr)
                *id = number;
            return block;
        }
    }
    return nullptr;
}

bool Rules::is_pending(int actor, int region, int target, long at, long bytes, bool writes, Type adds) const
{
    return std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
        return p.actor == actor && p.region == region && p.target == target &&
               overlap(p.at, p.bytes, at, bytes) && (p.writes || writes) &&
               (adds == Type::bytes || p.adds != adds);
    });
}

bool Rules::is_quiet(const Block& block, int actor) const
{
    return std::none_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
        const Step& s = block.shape;
        return p.actor == actor && p.region == s.region && p.target == s.target &&
               overlap(p.at, p.bytes, s.at, (s.rows - 1) * s.pitch + s.bytes);
    });
}

void Rules::touch(Block& block, long at, long bytes)
{
    for (long i = 0; i < bytes && !block.touched.empty(); ++i)
        block.touched[static_cast<std::size_t>(at - block.shape.at + i)] = true;
}

bool Rules::is_touched(const Block& block, long at, long bytes)
{
    for (long i = 0; i < bytes && !block.touched.empty(); ++i)
        if (block.touched[static_cast<std::size_t>(at - block.shape.at + i)])
            return true;
    return false;
}

const char* Rules::why_no_handle(const Step& step) const
{
    if (step.how < implicit || step.how >= handles)
        return "no such handle";
    if (const auto used = handle_target_.find({step.actor, step.how}); used != handle_target_.end()) {
        if (!is_aggregate(step.how))
            return "the handle is in use";
        if (used->second != step.target)
            return "the handle gathers for another target";
    }
    return nullptr;
}

const char* Rules::why_not(const Step& step, const Segment& s, Block& block) const
{
    const Step& shape = block.shape;
    const bool adds = step.verb == Verb::acc, gets = step.verb == Verb::get;
    if (shape.type != Type::bytes && !gets) {
        const long row = shape.rows == 1 ? 0 : (s.there - shape.at) / shape.pitch;
        const long column = s.there - shape.at - row * shape.pitch;
        if (step.type != shape.type || column % element_bytes(shape.type) != 0 ||
            s.bytes % element_bytes(shape.type) != 0)
            return "elements of the block would be spoilt";
    }
    if (shape.type == Type::bytes && adds && step.type != Type::integer && step.type != Type::whole)
        return "bytes are no numbers";
    switch (block.kind) {
    case Kind::exclusive:
        if (block.actor != step.actor)
            return "another actor has the block";
        break;
    case Kind::read:
        if (!gets)
            return "the block is only read";
        return nullptr;
    case Kind::acc:
        if (!adds)
            return "the block takes sums only";
        return nullptr;
    default:
        return "the block is not for transfers";
    }
    if (is_touched(block, s.there, s.bytes))
        return "the region is free of conflicts";
    if (is_pending(step.actor, s.region, step.target, s.there, s.bytes, !gets,
                   adds && shape.type != Type::bytes ? step.type : Type::bytes))
        return "an operation that is not waited for has these bytes";
    return nullptr;
}

// The origin's buffer in the actor's own slice: bytes that are loaded, or stored to.
const char* Rules::why_not_origin(const Step& step, long bytes)
{
    const int me = process_of(step.actor);
    const Block* const block = find(step.origin, me, step.origin_at, bytes);
    if (block == nullptr || block->kind != Kind::exclusive || block->actor != step.actor ||
        block->put_unfenced || block->others_unfenced || !is_quiet(*block, step.actor) ||
        block->shape.type != Type::bytes || step.type != Type::bytes || !block->touched.empty() ||
        (regions_[step.origin].mode & ARMCIX_MODE_NO_LOAD_STORE) != 0)
        return "the origin's buffer is not the actor's";
    return nullptr;
}

const char* Rules::take_transfer(const Step& step)
{
    if (!is_actor(step.actor) || step.target < 0 || step.target >= ranks_)
        return "no such process";
    if (const char* const why = why_no_handle(step))
        return why;
    if (step.is_strided() && (step.there.size() + 1 != step.counts.size() ||
                              step.here.size() != step.there.size() || step.counts.size() > 8))
        return "levels and strides do not match";
    if (step.is_vector() &&
        (step.there.size() != step.lengths.size() || step.here.size() != step.lengths.size() ||
         (!step.regions.empty() && step.regions.size() != step.lengths.size())))
        return "segments lack something";
    if (has_too_many(step))
        return "too many segments";
    const auto segments = segments_of(step);
    const long buffer = origin_bytes(segments);
    if (step.how != blocking && segments.size() + pending_.size() > 4000)
        return "too much to keep in mind";
    if (step.verb == Verb::acc && step.type == Type::bytes)
        return "an accumulate of bytes";
    if (size_of(step.region, step.target) == 0 || step.at < 0 || step.at >= size_of(step.region, step.target))
        return "no such region";
    std::vector<Block*> blocks;
    std::vector<int> ids;
    for (const Segment& s : segments) {
        int id = 0;
        Block* const block = s.here < 0 ? nullptr : find(s.region, step.target, s.there, s.bytes, &id);
        if (block == nullptr)
            return "a segment is in no block";
        if (const char* const why = why_not(step, s, *block))
            return why;
        if (step.verb == Verb::acc && s.bytes % element_bytes(step.type) != 0)
            return "a part of an element";
        blocks.push_back(block);
        ids.push_back(id);
    }
    if (const char* const why = why_not_overlapping(step, segments))
        return why;
    if (step.origin >= 0 && !segments.empty()) {
        if (const char* const why = why_not_origin(step, buffer))
            return why;
        const int me = process_of(step.actor);
        for (const Segment& s : segments)
            if (step.target == me && s.region == step.origin &&
                overlap(s.there, s.bytes, step.origin_at, buffer) &&
                (segments.size() > 1 || step.verb == Verb::acc || step.how != blocking))
                return "segments on themselves";
    }
    const bool writes = is_write(step.verb);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        touch(*blocks[i], segments[i].there, segments[i].bytes);
        if (blocks[i]->kind == Kind::exclusive && writes)
            (step.verb == Verb::put ? blocks[i]->put_unfenced : blocks[i]->others_unfenced) = true;
    }
    if (step.how == blocking)
        return nullptr;
    if (step.how >= 0)
        handle_target_[{step.actor, step.how}] = step.target;
    for (std::size_t i = 0; i < segments.size(); ++i)
        pending_.push_back({step.actor, step.how, step.target, segments[i].region, writes,
                            step.verb == Verb::acc ? step.type : Type::bytes, segments[i].there,
                            segments[i].bytes, ids[i]});
    if (step.origin >= 0 && buffer > 0)
        pending_.push_back({step.actor, step.how, process_of(step.actor), step.origin, !writes, Type::bytes,
                            step.origin_at, buffer, -1});
    if (step.how == implicit && segments.empty())
        pending_.push_back({step.actor, step.how, step.target, -1, false, Type::bytes, 0, 0, -1});
    return nullptr;
}

const char* Rules::take_rmw(const Step& step)
{
    if (!is_actor(step.actor) || step.op < 0 || step.op > 3)
        return "no such actor or operation";
    const bool is_long = step.op == ARMCI_FETCH_AND_ADD_LONG || step.op == ARMCI_SWAP_LONG;
    const bool swaps = step.op == ARMCI_SWAP || step.op == ARMCI_SWAP_LONG;
    const Type type = is_long ? Type::whole : Type::integer;
    int id = 0;
    Block* const block = find(step.region, step.target, step.at, element_bytes(type), &id);
    if (block == nullptr || block->shape.type != type || step.at % element_bytes(type) != 0)
        return "no word there";
    if (block->kind == Kind::exclusive) {
        if (block->actor != step.actor || is_touched(*block, step.at, element_bytes(type)) ||
            is_pending(step.actor, step.region, step.target, step.at, element_bytes(type), true, Type::bytes))
            return "the word is not the actor's";
        touch(*block, step.at, element_bytes(type));
        block->others_unfenced = true;
        return nullptr;
    }
    if (block->kind != (swaps ? Kind::swap : Kind::fadd) || (!swaps && step.value < 1))
        return "the block is not for this";
    // Beyond the values that a word may have from before.
    if (swaps && (step.value < 1000000 || !values_.emplace(id, step.value).second))
        return "the value is not unique";
    return nullptr;
}

const char* Rules::take_direct(const Step& step)
{
    if (!is_actor(step.actor))
        return "no such actor";
    const int me = process_of(step.actor);
    Block* const block = find(step.region, me, step.at, step.bytes);
    if (block == nullptr || step.bytes < 1)
        return "no such block";
    const Step& shape = block->shape;
    if (regions_[step.region].mode & ARMCIX_MODE_NO_LOAD_STORE)
        return "the region has no loads and stores";
    if (block->kind == Kind::read && step.verb == Verb::load)
        return nullptr;
    if (block->kind != Kind::exclusive || block->actor != step.actor || block->put_unfenced ||
        block->others_unfenced || !is_quiet(*block, step.actor) || is_touched(*block, step.at, step.bytes))
        return "the bytes are not the actor's alone";
    if (step.verb == Verb::store && shape.type != Type::bytes) {
        const long row = shape.rows == 1 ? 0 : (step.at - shape.at) / shape.pitch;
        if (step.type != shape.type ||
            (step.at - shape.at - row * shape.pitch) % element_bytes(shape.type) != 0 ||
            step.bytes % element_bytes(shape.type) != 0)
            return "elements of the block would be spoilt";
    }
    touch(*block, step.at, step.bytes);
    return nullptr;
}

void Rules::fence(int actor, int target)
{
    for (auto& [id, block] : blocks_)
        if (block.kind == Kind::exclusive && block.actor == actor && block.shape.target == target &&
            is_quiet(block, actor))
            block.put_unfenced = block.others_unfenced = false;
}

// target < 0: all. Writes are complete at the target only after a fence that follows.
void Rules::finish(int actor, int how, int target)
{
    std::erase_if(pending_, [&](const Pending& p) {
        const bool done = p.actor == actor && p.how == how &&
                          (target < 0 || p.target == target || (how == implicit && p.block < 0));
        return done;
    });
}

const char* Rules::take_completion(const Step& step)
{
    if (!is_actor(step.actor) || step.target < 0 || step.target >= ranks_)
        return "no such process";
    switch (step.verb) {
    case Verb::wait:
    case Verb::test:
        if (handle_target_.erase({step.actor, step.how}) == 0)
            return "the handle is idle";
        finish(step.actor, step.how, -1);
        return nullptr;
    case Verb::wait_proc: {
        // Buffers in global memory are kept by their own entries, which name no target: all of them must be
        // of this one.
        const bool has_others = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
            return p.actor == step.actor && p.how == implicit && p.block >= 0 && p.target != step.target;
        });
        const bool has_buffers = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
            return p.actor == step.actor && p.how == implicit && p.block < 0;
        });
        if (has_others && has_buffers)
            return "buffers of implicit operations on several targets";
        finish(step.actor, implicit, step.target);
        return nullptr;
    }
    case Verb::wait_all:
        finish(step.actor, implicit, -1);
        return nullptr;
    case Verb::fence:
        fence(step.actor, step.target);
        return nullptr;
    case Verb::group_fence: {
        const auto group = groups_.find(step.group);
        if (group == groups_.end() || std::find(group->second.begin(), group->second.end(),
                                                process_of(step.actor)) == group->second.end())
            return "no such group";
        for (const long member : group->second)
            fence(step.actor, static_cast<int>(member));
        return nullptr;
    }
    default:
        for (int t = 0; t < ranks_; ++t)
            fence(step.actor, t);
        return nullptr;
    }
}

const char* Rules::take_hand_over(const Step& step)
{
    if (!is_actor(step.actor) || !is_actor(step.peer) || step.actor % threads_ != 0 ||
        step.peer % threads_ != 0)
        return "no such actor, or not the first thread";
    const int from = process_of(step.actor), to = process_of(step.peer);
    if (step.verb == Verb::section) {
        const auto found = blocks_.find(step.id);
        return found != blocks_.end() && found->second.kind == Kind::section ? nullptr : "no such section";
    }
    if (from == to)
        return "to itself";
    if (step.verb == Verb::message)
        return step.bytes >= 0 ? nullptr : "a negative length";
    Block* block = nullptr;
    if (step.verb == Verb::pass) {
        const auto found = blocks_.find(step.id);
        if (found == blocks_.end())
            return "no such block";
        block = &found->second;
        if (step.variant == 1 && (block->shape.target != to || block->others_unfenced))
            return "a notification is for puts to the one who gets it";
    } else {
        if (step.target != to || step.how != blocking || step.origin >= 0 || step.is_vector())
            return "data and flag go to the one who waits";
        Block* const word = find(step.flag_region, step.target, step.flag_at, sizeof(int));
        if (word == nullptr || word->kind != Kind::flag ||
            step.flag_at % static_cast<long>(sizeof(int)) != 0 || step.value < 1000000)
            return "no word for the flag";
        const auto segments = segments_of(step);
        if (segments.empty())
            return "no data";
        block = find(step.region, step.target, segments[0].there, segments[0].bytes);
        for (const Segment& s : segments)
            if (block == nullptr || find(s.region, step.target, s.there, s.bytes) != block)
                return "data in several blocks";
        if (block->put_unfenced || block->others_unfenced)
            return "a flag tells of its own data only";
        Step as_put = step;
        as_put.verb = Verb::put;
        // A word is set once in a round: values_ also keeps {~region, place}, with the target.
        const std::pair<int, long> key{-1 - step.flag_region, step.flag_at * ranks_ + step.target};
        if (values_.count(key) != 0)
            return "the flag was set before";
        if (block->kind != Kind::exclusive || block->actor != step.actor || !is_quiet(*block, step.actor))
            return "the block is not the actor's";
        if (const char* const why = take_transfer(as_put))
            return why;
        values_.insert(key);
    }
    if (block->kind != Kind::exclusive || block->actor != step.actor || !is_quiet(*block, step.actor))
        return "the block is not the actor's";
    block->actor = step.peer;
    block->put_unfenced = block->others_unfenced = false;
    return nullptr;
}

const char* Rules::take_sync(const Step& step)
{
    if (!handle_target_.empty())
        return "a handle is not waited for";
    if (!pending_.empty() && (step.variant != 0 || step.check == 0))
        return "only a barrier that is followed by a look at all buffers completes implicit operations";
    if (has_chains() && step.check == 0)
        return "chains are to be looked at";
    pending_.clear();
    values_.clear();
    for (auto& [id, block] : blocks_) {
        block.kind = Kind::none;
        block.put_unfenced = block.others_unfenced = false;
    }
    for (auto& [id, region] : regions_)
        region.is_used = false;
    return nullptr;
}

} // namespace oracle
