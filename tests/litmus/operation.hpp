// One ARMCI operation of random form on random bytes of one target, and what it means.
//
// An operation covers segments of equal length at `places` of a block of memory. A block lies in two regions,
// its first half in one and its second half in the other; only vector forms cross from one to the other.
#pragma once

#include "tests/litmus/litmus.hpp"

#include <armci.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace litmus {

// The bytes of one block, in its two halves.
struct Block {
    static constexpr long half = 520, bytes = 2 * half;
    std::byte* halves[2];
    std::byte* at(long place) const { return halves[place / half] + place % half; }
};

enum class Kind { put, get, acc_int, acc_long, add_int, add_long, swap_int, swap_long };
inline constexpr Kind all_kinds[] = {Kind::put,     Kind::get,      Kind::acc_int,  Kind::acc_long,
                                     Kind::add_int, Kind::add_long, Kind::swap_int, Kind::swap_long};
enum class Form { contiguous, strided, vector, value };

class Operation {
public:
    // `focus` is a place that it covers.
    Operation(Random& random, Kind kind, long focus);

    // With a null `handle`: blocking, or implicit where `nonblocking`. The arrays of the call are overwritten
    // when it has returned. RMW is always blocking.
    void issue(const Block& block, int target, bool nonblocking, armci_hdl_t* handle);

    // Applies it to what the block holds; of a get, remembers what it must find.
    void apply(std::vector<std::byte>& model);

    // After local completion: empty, or what was wrong. The buffer is scribbled over, as it is mine again.
    std::string check_and_reuse();

    bool covers(long place) const;
    bool overlaps(const Operation& other) const;
    bool reads() const { return kind_ == Kind::get; }
    bool is_rmw() const { return kind_ >= Kind::add_int; }
    bool accumulates() const { return kind_ == Kind::acc_int || kind_ == Kind::acc_long; }
    Kind kind() const { return kind_; }
    std::string text() const;

private:
    long unit() const; // size and alignment of an element
    void choose_contiguous(Random& random, long focus);
    bool choose_strided(Random& random, long focus);
    void choose_vector(Random& random, long focus);
    void choose_value(Random& random, long focus);
    void make_buffer(Random& random);

    Kind kind_;
    Form form_ = Form::contiguous;
    std::vector<long> places_;
    long bytes_ = 0; // of a segment
    int levels_ = 0;
    int stride_[2] = {}, local_stride_[2] = {}, count_[3] = {};
    std::vector<long> local_;     // where the segments are in the buffer
    std::vector<std::byte> data_; // the buffer as it was given
    std::unique_ptr<std::byte[]> buffer_;
    std::vector<std::byte> wanted_; // what the buffer must hold at the end
    int scale_ = 1;
};

} // namespace litmus
