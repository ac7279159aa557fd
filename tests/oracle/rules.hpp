// Which steps are legal: those whose results docs/semantics.md fixes.
//
// Memory that is used lies in blocks. In a round each block is used in one way (Kind). An exclusive block has
// one actor at a time, which sees what it did in order: so an operation must not meet bytes of an earlier one
// that it has not waited for, and bytes that a call wrote are loaded, or handed to another actor, after a
// fence.
#pragma once

#include "tests/oracle/layout.hpp"
#include "tests/oracle/program.hpp"

#include <map>
#include <set>
#include <utility>

namespace oracle {

// Whether two ranges of bytes meet.
inline bool overlap(long a, long a_bytes, long b, long b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

class Rules {
public:
    struct Region {
        int group = 0;
        List members, sizes;
        int mode = 0;
        bool exists = false;
        bool is_used = false; // in this round
    };
    struct Block {
        Step shape; // the declaration
        Kind kind = Kind::none;
        int actor = 0; // that has it; of a section the process of its mutex
        int mutex = 0;
        bool put_unfenced = false; // by its actor
        bool others_unfenced = false;
        std::vector<bool> touched; // of each byte of its extent, where its region is free of conflicts
    };

    Rules(int ranks, int threads);

    // Takes the step up and returns null if it is legal; otherwise changes nothing and says why.
    const char* take(const Step& step);

    int ranks() const { return ranks_; }
    int threads() const { return threads_; }
    int process_of(int actor) const { return actor / threads_; }
    const std::map<int, List>& groups() const { return groups_; } // group 0 is the world
    const std::map<int, Region>& regions() const { return regions_; }
    const std::map<int, Block>& blocks() const { return blocks_; }
    const List& mutexes() const { return mutexes_; } // of each process; empty where there is no set
    long size_of(int region, int target) const;      // 0 where it has no slice
    // Handles and targets that the actor has yet to wait for; the implicit ones are {implicit, target}.
    std::set<std::pair<int, int>> unfinished(int actor) const;
    bool is_in_use(int actor, int handle) const { return handle_target_.contains({actor, handle}); }
    bool has_chains() const; // blocks whose results must be looked at when the round ends

private:
    struct Pending {
        int actor, how, target, region;
        bool writes;
        Type adds; // what an accumulate adds; bytes for others
        long at, bytes;
        int block;
    };

    const char* take_collective(const Step&);
    const char* take_declaration(const Step&);
    const char* take_transfer(const Step&);
    const char* take_rmw(const Step&);
    const char* take_direct(const Step&);
    const char* take_completion(const Step&);
    const char* take_hand_over(const Step&);
    const char* take_sync(const Step&);

    bool is_actor(int actor) const { return actor >= 0 && actor < ranks_ * threads_; }
    Block* find(int region, int target, long at, long bytes, int* id = nullptr);
    bool is_pending(int actor, int region, int target, long at, long bytes, bool writes, Type adds) const;
    bool is_quiet(const Block& block, int actor) const; // nothing pending in it
    const char* why_no_handle(const Step&) const;
    const char* why_not(const Step&, const Segment&, Block&) const;
    const char* why_not_origin(const Step&, long bytes);
    void fence(int actor, int target);
    void finish(int actor, int how, int target);
    static void touch(Block& block, long at, long bytes);
    static bool is_touched(const Block& block, long at, long bytes);

    int ranks_, threads_;
    std::map<int, List> groups_;
    std::map<int, Region> regions_;
    std::map<int, Block> blocks_;
    std::map<std::pair<int, int>, std::vector<std::pair<int, Block*>>> at_; // those of {region, target}
    std::vector<Pending> pending_;
    std::map<std::pair<int, int>, int> handle_target_; // of {actor, handle}, while it is in use
    List mutexes_;
    std::set<std::pair<int, long>> values_; // that were swapped in, or stand for flags: {block, value}
};

} // namespace oracle
