// Which waits, fences, hand-overs and synchronisations are legal, and what they complete.
#include "tests/oracle/rules.hpp"

#include <algorithm>

namespace oracle {

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
        if (step.toggles != 0 && !is_aggregate(step.how))
            return "the handle is never an aggregate one";
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
            return "a notification is for puts to the process that it goes to";
    } else {
        if (step.target != to || step.how != blocking || step.origin >= 0 || step.is_vector())
            return "data and flag go to the process that waits";
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
