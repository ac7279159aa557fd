// Contiguous put, get and accumulate between an origin buffer and one region.
//
// Each returns 0, or the code of a reported mistake, in which case nothing was moved. Blocking: put and
// accumulate return when the source may be reused, get when the data is there; nonblocking on the node
// likewise, over the network when the operation has started. Zero bytes are legal and do nothing.
#pragma once

#include "gmr/locate.hpp"
#include "gmr/node/accumulate.hpp"
#include "gmr/node/kernels/copy.hpp"
#include "gmr/transfer/remote.hpp"

#include <cstdint>

namespace armci::gmr {

// Reports a negative size.
[[gnu::cold, gnu::noinline]] int reject_size(const char* call, std::int64_t bytes);

// The same to or from `target`, which locate() found, without error, for the address on its side; without
// statistics. Accumulates by load and store take and keep `lock`.
void put_located(const Target& target, const void* source, void* destination, std::uint64_t bytes,
                 Issue issue);
void get_located(const Target& target, const void* source, void* destination, std::uint64_t bytes,
                 Issue issue);
void accumulate_located(const Target& target, const Accumulation& accumulation, AccumulateLock& lock,
                        const void* source, void* destination, std::uint64_t bytes, Issue issue);

// The general way of put() and get().
int put_anywhere(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
                 Issue issue);
int get_anywhere(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
                 Issue issue);

inline int put(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
               Issue issue = {})
{
    if (bytes > 0 && at_hand(process, destination, static_cast<std::uint64_t>(bytes))) [[likely]] {
        kernels::copy(destination, source, static_cast<std::size_t>(bytes));
        return 0;
    }
    return put_anywhere(call, source, destination, bytes, process, issue);
}

inline int get(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
               Issue issue = {})
{
    if (bytes > 0 && at_hand(process, source, static_cast<std::uint64_t>(bytes))) [[likely]] {
        kernels::copy(destination, source, static_cast<std::size_t>(bytes));
        return 0;
    }
    return get_anywhere(call, source, destination, bytes, process, issue);
}

// `type` is an ARMCI_Acc_e; `scale` points to one element of that type.
int accumulate(const char* call, int type, const void* scale, const void* source, void* destination,
               std::int64_t bytes, int process, Issue issue = {});

} // namespace armci::gmr
