// Which collective steps and declarations are legal.
#include "tests/oracle/rules.hpp"

#include <armcix.h>

#include <algorithm>
#include <numeric>

namespace oracle {

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

} // namespace oracle
