// Observation: what ARMCI_STATS, ARMCI_TRACE and ARMCI_CHECK (armci/base/check) see of operations and of
// waits.
//
// While nobody asks, the short ways of operations know nothing of it (gmr::Detours::observed keeps them from
// being taken while somebody does), and every other way, and every wait, costs one predictable branch.
// Callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::observe {

enum class Kind : std::uint8_t {
    put,
    get,
    accumulate,
    put_strided,
    get_strided,
    accumulate_strided,
    put_vector,
    get_vector,
    accumulate_vector,
    rmw,
    kinds
};
inline constexpr auto kinds = static_cast<std::size_t>(Kind::kinds);
const char* name(Kind kind);

// Where a process waits for others, or for what it has begun.
enum class Wait : std::uint8_t { barrier, fence, handle, lock, notify, message, allocation, waits };
inline constexpr auto waits = static_cast<std::size_t>(Wait::waits);
const char* name(Wait wait);

using Nanoseconds = std::int64_t; // of a clock that the processes of a node share
Nanoseconds now();

// Whether any of the three looks. Hidden, to be addressed directly; set and cleared between barriers of the
// world.
[[gnu::visibility("hidden")]] extern bool active;

// An operation on the memory of `process`, from where it stands to saw(), which is called where `active`. One
// that ends by a reported mistake is not seen.
struct Operation {
    const char* call; // outlives the process
    Kind kind;
    int process;
    const void* address; // some byte of its target
    Nanoseconds began = active ? now() : 0;

    [[gnu::cold, gnu::noinline]] void saw(std::int64_t bytes, bool load_store) const;
};

// A wait, for as long as it lives.
class Waiting {
public:
    Waiting(const char* call, Wait wait) : call_(call), wait_(wait) {}
    ~Waiting()
    {
        if (active) [[unlikely]]
            saw();
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    [[gnu::cold, gnu::noinline]] void saw() const;

    const char* call_;
    Wait wait_;
    Nanoseconds began_ = active ? now() : 0;
};

} // namespace armci::observe
