#include "armci/base/check/loans.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace armci::check {
namespace {

bool overlap(std::span<const Bytes> some, std::span<const Bytes> others)
{
    return std::any_of(some.begin(), some.end(), [&](const Bytes& one) {
        return std::any_of(others.begin(), others.end(), [&](const Bytes& other) {
            return one.begin < other.end && other.begin < one.end;
        });
    });
}

void join(std::vector<Bytes>& buffer)
{
    std::sort(buffer.begin(), buffer.end(), [](const Bytes& a, const Bytes& b) { return a.begin < b.begin; });
    std::vector<Bytes> joined;
    for (const Bytes& one : buffer)
        if (!joined.empty() && one.begin <= joined.back().end)
            joined.back().end = std::max(joined.back().end, one.end);
        else
            joined.push_back(one);
    buffer = std::move(joined);
}

// Takes the loans that are `over`, and gives those that were broken.
template <class Over>
std::vector<Loan> end(std::vector<Loan>& loans, Over over)
{
    std::vector<Loan> broken;
    std::erase_if(loans, [&](const Loan& loan) {
        if (!over(loan))
            return false;
        if (!loan.written && digest(loan.buffer) != loan.digest)
            broken.push_back(loan);
        return true;
    });
    return broken;
}

} // namespace

void Loans::lend(const char* call, const void* handle, int process, bool written, std::vector<Bytes> buffer)
{
    join(buffer);
    const std::uint64_t now = written ? 0 : digest(buffer);
    loans_.push_back({call, handle, process, written, std::move(buffer), now});
}

const Loan* Loans::against(std::span<const Bytes> buffer, bool writes) const
{
    const auto found = std::find_if(loans_.begin(), loans_.end(), [&](const Loan& loan) {
        return (writes || loan.written) && overlap(loan.buffer, buffer);
    });
    return found == loans_.end() ? nullptr : &*found;
}

std::vector<Loan> Loans::end_handle(const void* handle)
{
    return end(loans_, [&](const Loan& loan) { return loan.handle == handle; });
}

std::vector<Loan> Loans::end_process(int process, bool those_with_handles, bool those_written)
{
    return end(loans_, [&](const Loan& loan) {
        return (process < 0 || loan.process == process) && (those_with_handles || loan.handle == nullptr) &&
               (those_written || !loan.written);
    });
}

void Loans::forget(const void* handle)
{
    std::erase_if(loans_, [&](const Loan& loan) { return loan.handle == handle; });
}

// FNV-1a. The system reads the memory, as it may be gone.
std::uint64_t digest(std::span<const Bytes> buffer)
{
    const pid_t self = getpid(); // asked anew: a forked child is another
    std::array<unsigned char, 16384> part;
    std::uint64_t hash = 14695981039346656037U;
    for (const Bytes& one : buffer)
        for (std::uintptr_t at = one.begin; at < one.end;) {
            const std::size_t wanted = std::min<std::size_t>(part.size(), one.end - at);
            const iovec here{part.data(), wanted};
            const iovec there{reinterpret_cast<void*>(at), wanted};
            const ssize_t got = process_vm_readv(self, &here, 1, &there, 1, 0);
            if (got <= 0)
                return 0;
            for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i)
                hash = (hash ^ part[i]) * 1099511628211U;
            at += static_cast<std::size_t>(got);
        }
    return hash;
}

} // namespace armci::check
