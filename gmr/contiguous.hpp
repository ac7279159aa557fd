// Contiguous put, get and accumulate between an origin buffer and one region.
//
// Each returns 0, or the code of a reported mistake, in which case nothing was moved. Blocking: put and accumulate
// return when the source may be reused, get when the data is there; nonblocking on the node likewise, over the network
// when the operation has started. Zero bytes are legal and do nothing.
#pragma once

#include "armci/base/stats.hpp"
#include "gmr/accumulate.hpp"
#include "gmr/kernels/copy.hpp"
#include "gmr/remote.hpp"
#include "gmr/target.hpp"

#include <cstdint>

namespace armci::gmr {

// Reports a negative size.
[[gnu::cold, gnu::noinline]] int reject_size(const char* call, std::int64_t bytes);

inline int put(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
               Issue issue = {})
{
    if (bytes <= 0) [[unlikely]]
        return bytes == 0 ? 0 : reject_size(call, bytes);
    const Target target = locate(call, process, destination, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.use_load_store()) [[likely]]
        kernels::copy(target.local, source, static_cast<std::size_t>(bytes));
    else if (target.error != 0)
        return target.error;
    else
        remote::put(target, source, static_cast<std::uint64_t>(bytes), issue);
    stats::count(stats::Kind::put, bytes, target.use_load_store());
    return 0;
}

inline int get(const char* call, const void* source, void* destination, std::int64_t bytes, int process,
               Issue issue = {})
{
    if (bytes <= 0) [[unlikely]]
        return bytes == 0 ? 0 : reject_size(call, bytes);
    const Target target = locate(call, process, source, static_cast<std::uint64_t>(bytes), Use::plain);
    if (target.use_load_store()) [[likely]]
        kernels::copy(destination, target.local, static_cast<std::size_t>(bytes));
    else if (target.error != 0)
        return target.error;
    else
        remote::get(target, destination, static_cast<std::uint64_t>(bytes), issue);
    stats::count(stats::Kind::get, bytes, target.use_load_store());
    return 0;
}

// `type` is an ARMCI_Acc_e; `scale` points to one element of that type.
int accumulate(const char* call, int type, const void* scale, const void* source, void* destination,
               std::int64_t bytes, int process, Issue issue = {});

} // namespace armci::gmr
