// Messaged: atomic operations on another node's memory that go as active messages (gmr/active_messages/), in
// order with what MPI has to do there.
#pragma once

#include "gmr/active_messages/active_messages.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/network/access.hpp"
#include "gmr/transfer/issue.hpp"

#include <cstdint>

namespace armci::gmr::remote {

// Whether atomic operations that load and store do not serve go this way. The same for all of a job.
inline bool sends_messages()
{
    return ActiveMessages::the_one() != nullptr;
}

// One accumulate. Sources may be used again when it ends, whether it has a handle or not.
class SentSums {
public:
    // [target, target + extent) holds every segment.
    SentSums(const Target& target, std::uint64_t extent, kernels::Element element, const void* scale);
    ~SentSums();
    SentSums(const SentSums&) = delete;
    SentSums& operator=(const SentSums&) = delete;

    // Targets are addresses of the target process.
    void add(const kernels::Rows& rows) { sums_.add(rows); }

private:
    class Order {
    public:
        Order(const Target& target, std::uint64_t extent, Access access);
        ~Order();
        Order(const Order&) = delete;
        Order& operator=(const Order&) = delete;

    private:
        const Target target_;
        std::uint64_t extent_;
        Access access_;
    };

    Order order_;
    ActiveMessages::Sums sums_;
};

// A read-modify-write of the word at `address` of the target process. Returns the old value; the new one is
// in place for all.
std::uint64_t fetch(const Target& target, const active_messages::Fetch& fetch);

} // namespace armci::gmr::remote
