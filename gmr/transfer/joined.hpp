// Joined: small transfers between this process and one target that wait to become one MPI operation of many
// blocks, where this MPI does that well (rma::joins_blocks). Neighbours on both sides become one block. Not
// callable from two threads at a time.
#pragma once

#include "gmr/memory/target.hpp"
#include "gmr/network/rma.hpp"

#include <cstdint>

namespace armci::gmr {

enum class Direction { put, get };

class Joined {
public:
    bool empty() const { return blocks_.sizes.empty(); }
    const Target& target() const { return target_; } // of the first; window, rank and process count
    Direction direction() const { return direction_; }
    std::size_t blocks() const { return blocks_.sizes.size(); }

    // Who may be told of completion: nobody but by a flush, a handle of one operation, one of many.
    enum class For { nobody, handle, aggregate };
    // Whether transfers of this size wait here at all. Gets of an aggregate handle do even where blocks are
    // not usable: one flush ends them all.
    static bool takes(Direction direction, const Target& target, std::uint64_t bytes, For whom);
    // Whether one more goes into the same operation: same direction and target, room left, and no byte
    // written twice, at the target or, by a get, here.
    bool goes_with(Direction direction, const Target& target, const void* mine, std::uint64_t bytes) const;
    // Whether `target` is in the window and of the process of the last transfer added.
    bool is_to(const Target& target) const
    {
        return target_.window == target.window && target_.rank == target.rank;
    }
    // Whether any of them touches [target, target + bytes).
    bool meets(const Target& target, std::uint64_t bytes) const;

    void add(Direction direction, const Target& target, void* mine, std::uint64_t bytes);
    // Starts the operation and is empty again. With `requests`, what is appended there completes it here, if
    // anything is; otherwise the next flush does. Gets with requests go one by one, and were put in order
    // (completion::begin) when they were added.
    void issue(rma::Requests* requests);

private:
    bool is_full() const;
    Target span(std::uint64_t& extent) const;
    void put_copies(const Target& target);
    void get_each(rma::Requests* requests);

    Direction direction_ = Direction::put;
    Target target_;
    std::uint64_t bytes_ = 0;
    rma::Blocks blocks_;
};

} // namespace armci::gmr
