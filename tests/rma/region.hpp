// Global memory that frees itself, and bytes to put into it.
#pragma once

#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci_test {

// A region over the world; making and destroying it are collective. The destructor lets all ranks finish
// first.
class Region {
public:
    explicit Region(long bytes) : bases_(static_cast<std::size_t>(size()))
    {
        EXPECT_EQ(0, ARMCI_Malloc(bases_.data(), bytes));
    }
    ~Region()
    {
        ARMCI_Barrier();
        EXPECT_EQ(0, ARMCI_Free(bases_[static_cast<std::size_t>(rank())]));
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    std::byte* of(int process, long offset = 0) const
    {
        return static_cast<std::byte*>(bases_[static_cast<std::size_t>(process)]) + offset;
    }
    std::byte* mine(long offset = 0) const { return of(rank(), offset); }
    template <class T>
    T* as(int process, long offset = 0) const
    {
        return reinterpret_cast<T*>(of(process, offset));
    }
    const std::vector<void*>& bases() const { return bases_; }

private:
    std::vector<void*> bases_;
};

inline int neighbour(int distance = 1)
{
    return (rank() + distance) % size();
}

// Whether loads and stores reach the slices of `process`.
inline bool loads_reach(int process)
{
    return process == rank() || (ARMCI_Uses_shm() && ARMCI_Same_node(process));
}

// Bytes that differ from place to place and from salt to salt.
inline std::byte pattern(std::uint64_t salt, std::uint64_t place)
{
    const std::uint64_t mixed = (place + 1) * 0x9e3779b97f4a7c15u + salt * 0xd1b54a32d192ed03u;
    return static_cast<std::byte>(mixed >> 53);
}

inline std::vector<std::byte> pattern_bytes(std::uint64_t salt, std::size_t bytes)
{
    std::vector<std::byte> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        result[i] = pattern(salt, i);
    return result;
}

// `bytes` of `process` as a get shows them.
inline std::vector<std::byte> fetch(const std::byte* address, std::size_t bytes, int process)
{
    std::vector<std::byte> result(bytes);
    EXPECT_EQ(0, ARMCI_Get(const_cast<std::byte*>(address), result.data(), static_cast<int>(bytes), process));
    return result;
}

// Puts and completes.
inline void store(const std::vector<std::byte>& data, std::byte* address, int process)
{
    EXPECT_EQ(
        0, ARMCI_Put(const_cast<std::byte*>(data.data()), address, static_cast<int>(data.size()), process));
    ARMCI_Fence(process);
}

} // namespace armci_test
