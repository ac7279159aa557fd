#include "gmr/transfer/messaged.hpp"

#include "gmr/network/completion.hpp"
#include "gmr/transfer/elements.hpp"
#include "gmr/transfer/queues.hpp"

namespace armci::gmr::remote {

SentSums::Order::Order(const Target& target, std::uint64_t extent, Access access)
    : target_(target), extent_(extent), access_(access)
{
    queues::issue_before(target, extent, access, false);
    completion::begin_message(target, extent, access);
}

SentSums::Order::~Order()
{
    completion::end_message(target_, extent_, access_);
}

SentSums::SentSums(const Target& target, std::uint64_t extent, kernels::Element element, const void* scale)
    : order_(target, extent, access_of(element)),
      sums_(*ActiveMessages::the_one(), target.process, element, scale)
{
}

SentSums::~SentSums() = default;

std::uint64_t fetch(const Target& target, const active_messages::Fetch& fetch)
{
    queues::issue_before(target, fetch.width, Access::fetch_and_op, true);
    completion::begin_message(target, fetch.width, Access::fetch_and_op);
    return ActiveMessages::the_one()->fetch(target.process, fetch);
}

} // namespace armci::gmr::remote
