// A program: what each process does, as data.
//
// The steps stand in one order in which they could be carried out one after the other; each process carries
// out its own in that order. A `sync` step of all processes ends a round. rules.hpp says which programs are
// legal, so that docs/semantics.md fixes their results.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace oracle {

// clang-format off
enum class Verb {
    // Of a group's members together.
    group, group_free, alloc, free, mutexes, mutexes_free, mode, barrier, reduce, broadcast, select, sync,
    // Declarations, which no process carries out.
    block, use,
    // Of one actor.
    put, get, acc, rmw, store, load, wait, test, wait_proc, wait_all, fence, all_fence, group_fence, section, compute, progress, copy,
    // Of an actor, and of its peer after it.
    pass, flagged, message
};

// What the elements of a block are. Values of the typed ones are small whole numbers, so that sums are exact.
enum class Type { bytes, integer, whole, single, real, complex, dcomplex };

// Who may do what in a block until the round ends.
enum class Kind {
    none,
    exclusive, // one actor at a time, anything; `pass` and `flagged` hand it over
    read,      // all actors get and load
    acc,       // all actors accumulate
    fadd,      // all actors fetch and add
    swap,      // all actors swap in values that are unique
    section,   // all actors, in turns of a mutex
    flag       // words of put with flag
};
// clang-format on

enum How { blocking = -1, implicit = -2 }; // or the number of a handle
constexpr int handles = 8;                 // of each actor; the upper half are aggregate ones
constexpr bool is_aggregate(int handle)
{
    return handle >= handles / 2;
}

using List = std::vector<long>;

// Members mean something for the verbs that use them; text.cpp leaves out those that are as here.
struct Step {
    Verb verb = Verb::sync;
    int actor = 0; // process * threads of a process + thread
    int peer = 0;  // the other actor of pass, flagged and message
    int id = 0;    // of a block, or of the region or group that is made
    int group = 0, region = 0, target = 0;
    Type type = Type::bytes;
    Kind kind = Kind::none;
    int how = blocking;
    int toggles = 0;          // transfer: the handle becomes aggregate after it; wait, test: plain before it
    int variant = 0;          // which of the calls that mean the same
    int op = 0;               // of rmw and reductions
    int scope = 0, root = 0;  // of messages
    int check = 1;            // of sync: compare all memory
    long at = 0, bytes = 0;   // the first byte in the target's slice; a contiguous length
    long value = 0;           // scale, addend, flag, microseconds, mode
    long times = 1;           // of a blocking accumulate: as many calls in a row
    long rows = 1, pitch = 0; // of a block: rows of `bytes`, so far apart
    long from = 0;            // the first byte in the origin's buffer
    int origin = -1;          // region of the origin's buffer; otherwise private memory
    long origin_at = 0;       // where it begins in the actor's slice
    int flag_region = 0;      // of flagged: the word
    long flag_at = 0;         //
    std::uint32_t data = 0;   // what the origin's bytes are made of
    List counts, there, here; // strided: counts by level, strides; vector: offsets of segments
    List lengths, regions;    // vector: bytes of each segment, and region where not `region`
    List members, sizes;      // absolute ids; bytes of each member, or mutexes of each process

    bool is_strided() const { return !counts.empty(); }
    bool is_vector() const { return !lengths.empty(); }
};

struct Program {
    int ranks = 1, threads = 1;
    std::uint64_t seed = 0;
    std::vector<Step> steps;
};

// text.cpp. A program begins with "program", a step is a line; "#" begins a comment. read throws
// std::runtime_error.
void write(std::ostream&, const Program&);
std::string text_of(const Step&);
Program read(std::istream&);

// A well mixed number.
constexpr std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

} // namespace oracle
