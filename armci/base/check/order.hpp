// Order: what is ordered before what, by what processes synchronised by between two barriers of the world.
//
// Each process counts its synchronisations. One that releases (before an unlock, a send, a notify) hands on
// all that the process knows; one that acquires (after a lock, a receive, a wait) on the same object learns
// it. A ticket from one counter of the job tells which came first: it is drawn before a release and after an
// acquire, so an acquire that saw a release has the later ticket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::check {

struct Synchronisation {
    std::uint64_t ticket;
    std::uint64_t object; // lock, message, counter, ...; equal for those that order one another
    std::int32_t process;
    std::int32_t acquires; // else it releases
};

class Order {
public:
    // Of all processes, in any order.
    Order(int processes, std::vector<Synchronisation> all);

    // All that process `a` did after fewer synchronisations of its own than this is ordered before what `b`
    // did after `b_count`. Never less for a later `b_count`.
    std::uint32_t known(int a, int b, std::uint32_t b_count) const;

    // Whether what process `a` did after `a_count` synchronisations of its own is ordered before what `b` did
    // after `b_count`.
    bool before(int a, std::uint32_t a_count, int b, std::uint32_t b_count) const;

private:
    // Of each process so many synchronisations are known; likewise.
    using Clock = std::vector<std::uint32_t>;

    // By process, and by how many of its synchronisations were over.
    std::vector<std::vector<Clock>> known_;
};

} // namespace armci::check
