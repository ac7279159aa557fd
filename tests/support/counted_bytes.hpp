// Bytes that new has given to this program and its libraries and that delete has not got back. For one file
// of a program, as it replaces the global operators. MPI, which is C, is not counted.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace armci_test {

inline std::atomic<long> bytes_in_use{0};
inline std::atomic<long> most_in_use{0};

inline long counted_bytes()
{
    return bytes_in_use.load();
}

// The most bytes in use at once since the last call.
inline long counted_most()
{
    return most_in_use.exchange(bytes_in_use.load());
}

inline void* take_counted(std::size_t bytes, std::size_t alignment)
{
    void* const memory = alignment <= alignof(std::max_align_t)
                             ? std::malloc(bytes)
                             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr)
        std::abort();
    const auto bytes_taken = static_cast<long>(malloc_usable_size(memory));
    const long in_use = bytes_in_use += bytes_taken;
    for (long most = most_in_use; in_use > most && !most_in_use.compare_exchange_weak(most, in_use);) {
    }
    return memory;
}

inline void give_counted(void* memory)
{
    if (memory == nullptr)
        return;
    bytes_in_use -= static_cast<long>(malloc_usable_size(memory));
    std::free(memory);
}

} // namespace armci_test

void* operator new(std::size_t bytes)
{
    return armci_test::take_counted(bytes, 1);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    return armci_test::take_counted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return armci_test::take_counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    armci_test::give_counted(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    armci_test::give_counted(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    armci_test::give_counted(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    armci_test::give_counted(memory);
}
