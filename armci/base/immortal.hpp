// Immortal: a global object that is there before any constructor runs, and is never destroyed. A program may
// call from constructors of its own global objects, from their destructors and from exit handlers, which run
// before and after the library's.
#pragma once

namespace armci {

template <class T>
union Immortal {
    constexpr Immortal() : value() {}
    constexpr ~Immortal() {} // NOLINT(modernize-use-equals-default): that would be deleted
    Immortal(const Immortal&) = delete;
    Immortal& operator=(const Immortal&) = delete;

    T value;
};

} // namespace armci
