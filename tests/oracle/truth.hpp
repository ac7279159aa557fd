// The serial oracle: all memory of all processes, and what each step must give.
#pragma once

#include "tests/oracle/rules.hpp"

namespace oracle {

// The origin's buffer of a step, before it and when it is complete; what a message or a read-modify-write
// brings as well.
struct Expected {
    Bytes before, after;
};

// What an operation on a word or section found, of those whose order is the run's own. Of a section, `found`
// is the step that was there before, or -1.
struct Event {
    int step;
    long found;
};

class Truth {
public:
    // nodes[p]: the node of process p.
    Truth(const Program& program, std::vector<int> nodes);

    // Carries out the step at `index`. Returns what it means to process `me`, if its actor or peer is one of
    // its threads, and something else otherwise. Throws std::logic_error for a step that is not legal.
    Expected play(int index, int me);

    // What steps with an order of their own found, from all processes. Returns what is wrong, or nothing, and
    // takes the results up. Goes before the `sync` is played.
    std::string settle(const std::vector<Event>& events);

    const Rules& rules() const { return rules_; }
    const Bytes& memory(int region, int target) const { return memory_.at({region, target}); }
    const std::vector<int>& nodes() const { return nodes_; }

    // A block's kind at this place, and the content that a section leaves.
    Kind kind_at(int region, int target, long at) const;
    Bytes section_content(int index) const;

private:
    // The operations on one word, or in one section, since the last sync.
    using Chain = std::vector<int>;
    using Place = std::pair<std::pair<int, int>, long>; // {{region, target}, byte}

    Expected transfer(const Step& step, int me);
    Expected rmw(int index);
    void make_slices(const Step& step);
    void fill_block(const Step& step);
    std::string settle_sums(const Place& place, const Chain& chain, const std::map<int, long>& found);
    std::string settle_path(const Place& place, const Chain& chain, const std::map<int, long>& found);
    std::byte* at(int region, int target, long place) { return memory_.at({region, target}).data() + place; }

    const Program& program_;
    std::vector<int> nodes_;
    Rules rules_;
    std::map<std::pair<int, int>, Bytes> memory_;
    std::map<Place, Chain> chains_;
};

} // namespace oracle
