// Which transfers, read-modify-writes, loads and stores are legal.
#include "tests/oracle/rules.hpp"

#include <armcix.h>

#include <algorithm>

namespace oracle {

namespace {

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
    if (step.toggles != 0 && !is_aggregate(step.how))
        return "the handle is never an aggregate one";
    if (const auto used = handle_target_.find({step.actor, step.how}); used != handle_target_.end()) {
        if (!is_aggregate(step.how))
            return "the handle is in use";
        if (step.toggles != 0)
            return "the handle is an aggregate one already";
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
    if (step.times < 1 || step.times > 50 ||
        (step.times > 1 && (step.verb != Verb::acc || step.how != blocking)))
        return "too many calls";
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

} // namespace oracle
