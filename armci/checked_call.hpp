// A collective call under ARMCI_CHECK: all members are in the same one, and what each did before it is
// ordered before what any does after it.
#pragma once

#include "armci/base/check/check.hpp"
#include "armci/groups.hpp"

#include <cstdint>

namespace armci {

class CheckedCall {
public:
    // `first` and `second` are what all members must give alike.
    CheckedCall(const char* call, Group& group, std::int64_t first = 0, std::int64_t second = 0)
        : group_(group)
    {
        if (!check::active) [[likely]]
            return;
        check::agree(call, group.team().comm(), first, second);
        check::release(object());
    }
    ~CheckedCall()
    {
        if (check::active) [[unlikely]]
            check::acquire(object());
    }
    CheckedCall(const CheckedCall&) = delete;
    CheckedCall& operator=(const CheckedCall&) = delete;

private:
    // Groups that begin and end alike are told apart no further: an order too many is no finding too many.
    std::uint64_t object() const
    {
        return check::object(check::Object::collective, static_cast<std::uint64_t>(group_.absolute(0)),
                             static_cast<std::uint64_t>(group_.size()));
    }

    Group& group_;
};

} // namespace armci
