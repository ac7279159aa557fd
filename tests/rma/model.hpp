// Memory on all processes, and beside it what a serial program would have there. Each origin owns a part of
// every slice of two regions, so its model knows every byte; the order of its operations on a target is the
// order in which the model made them.
#pragma once

#include "tests/rma/region.hpp"

#include <deque>
#include <string>
#include <vector>

namespace armci_test::model {

using Bytes = std::vector<std::byte>;

constexpr long part = 48 * 1024;

// Where two of one size differ, in words; nothing where they are equal.
std::string difference(const Bytes& found, const Bytes& wanted);

class Model {
public:
    explicit Model(std::uint64_t stream);

    // What the next operation is about.
    void choose_target();
    int target() const { return target_; }

    std::mt19937_64& random() { return random_; }
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    // Where `bytes` fit into my part, at a multiple of `unit`.
    long any_place(long bytes, long unit = 1);

    // My part of the target: in a region, or in the one chosen.
    Bytes& bytes(int region) { return bytes_of(target_, region); }
    Bytes& bytes() { return bytes(region_); }
    std::byte* address(int region, long offset) const { return address(target_, region, offset); }
    std::byte* there(long offset) const { return address(region_, offset); }

    // Adds scale * terms in the model; integers wrap around, whatever bytes are there.
    void add(int region, long at, const std::byte* terms, long bytes, unsigned scale);
    void add(long at, const std::byte* terms, long bytes, unsigned scale)
    {
        add(region_, at, terms, bytes, scale);
    }

    // Calls blocking(buffer) or nonblocking(buffer, handle); `buffer` must hold `wanted` on completion.
    template <class Blocking, class Nonblocking>
    void issue(Bytes buffer, Bytes wanted, Blocking blocking, Nonblocking nonblocking);

    // Completes one or all of what is pending, and looks at their buffers.
    void complete();
    void complete_all();

    // Completes everything, and compares all that I own.
    void check();

private:
    // A nonblocking operation keeps its origin buffer, and a get its answer, until it completes.
    struct Pending {
        armci_hdl_t handle;
        bool is_implicit;
        Bytes buffer, wanted;
    };

    Bytes& bytes_of(int process, int region)
    {
        return bytes_[static_cast<std::size_t>(2 * process + region)];
    }
    std::byte* address(int process, int region, long offset) const
    {
        return (region == 0 ? a_ : b_).of(process, part * rank() + offset);
    }

    Region a_{part * size()}, b_{part * size()};
    std::mt19937_64 random_;
    std::vector<Bytes> bytes_; // two of each process
    std::deque<Pending> pending_;
    int target_ = 0, region_ = 0;
    bool nonblocking_ = false;
};

template <class Blocking, class Nonblocking>
void Model::issue(Bytes buffer, Bytes wanted, Blocking blocking, Nonblocking nonblocking)
{
    if (!nonblocking_) {
        ASSERT_EQ(0, blocking(buffer.data()));
        ASSERT_EQ("", difference(buffer, wanted)) << "origin buffer after a blocking call";
        return;
    }
    Pending& entry = pending_.emplace_back();
    entry.buffer = std::move(buffer);
    entry.wanted = std::move(wanted);
    entry.is_implicit = below(2) == 0;
    ARMCI_INIT_HANDLE(&entry.handle);
    ASSERT_EQ(0, nonblocking(entry.buffer.data(), entry.is_implicit ? nullptr : &entry.handle));
    if (pending_.size() > 20)
        complete();
}

} // namespace armci_test::model
