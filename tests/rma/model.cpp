#include "tests/rma/model.hpp"

#include <algorithm>
#include <cstring>

namespace armci_test::model {

std::string difference(const Bytes& found, const Bytes& wanted)
{
    std::size_t first = found.size(), last = 0, count = 0, zero = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != wanted[i]) {
            first = std::min(first, i);
            last = i;
            ++count;
            zero += found[i] == std::byte{} ? 1 : 0;
        }
    if (count == 0)
        return "";
    return std::to_string(count) + " bytes of " + std::to_string(found.size()) + ", from " +
           std::to_string(first) + " to " + std::to_string(last) + "; " + std::to_string(zero) + " are zero";
}

Model::Model(std::uint64_t stream) : random_(rank_generator(stream))
{
    for (int p = 0; p < size(); ++p)
        for (int r = 0; r < 2; ++r) {
            bytes_.push_back(pattern_bytes(random_(), part));
            store(bytes_.back(), address(p, r, 0), p);
        }
}

void Model::choose_target()
{
    target_ = static_cast<int>(below(static_cast<std::uint64_t>(size())));
    region_ = static_cast<int>(below(2));
    nonblocking_ = below(3) == 0;
}

long Model::any_place(long bytes, long unit)
{
    return static_cast<long>(below(static_cast<std::uint64_t>((part - bytes) / unit + 1))) * unit;
}

void Model::add(int region, long at, const std::byte* terms, long bytes, unsigned scale)
{
    for (long i = 0; i < bytes; i += static_cast<long>(sizeof scale)) {
        std::byte* const place = &bytes_of(target_, region)[static_cast<std::size_t>(at + i)];
        unsigned sum, term;
        std::memcpy(&sum, place, sizeof sum);
        std::memcpy(&term, terms + i, sizeof term);
        sum += scale * term;
        std::memcpy(place, &sum, sizeof sum);
    }
}

void Model::complete()
{
    if (below(4) == 0 || pending_.empty() || pending_.front().is_implicit) {
        complete_all();
        return;
    }
    ASSERT_EQ(0, ARMCI_Wait(&pending_.front().handle));
    ASSERT_EQ("", difference(pending_.front().buffer, pending_.front().wanted)) << "origin buffer after Wait";
    pending_.pop_front();
}

void Model::complete_all()
{
    for (Pending& entry : pending_)
        if (!entry.is_implicit) {
            ASSERT_EQ(0, ARMCI_Wait(&entry.handle));
        }
    ASSERT_EQ(0, ARMCI_WaitAll());
    for (Pending& entry : pending_)
        ASSERT_EQ("", difference(entry.buffer, entry.wanted)) << "origin buffer after WaitAll";
    pending_.clear();
}

void Model::check()
{
    complete_all();
    for (int p = 0; p < size(); ++p)
        for (int r = 0; r < 2; ++r)
            ASSERT_EQ("", difference(fetch(address(p, r, 0), part, p), bytes_of(p, r)))
                << "process " << p << ", region " << r;
}

} // namespace armci_test::model
