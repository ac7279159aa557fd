// A directory in memory of its own, as sparse as the arena's.
#pragma once

#include "gmr/memory/directory.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace armci_test {

class SparseDirectory {
public:
    explicit SparseDirectory(std::size_t chunks)
        : span_(chunks << armci::gmr::chunk_shift), length_(armci::gmr::Directory::bytes(span_)),
          memory_(mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0))
    {
        if (memory_ == MAP_FAILED)
            throw std::bad_alloc();
    }
    ~SparseDirectory() { munmap(memory_, length_); }
    SparseDirectory(const SparseDirectory&) = delete;
    SparseDirectory& operator=(const SparseDirectory&) = delete;

    armci::gmr::Directory view() const { return {static_cast<std::byte*>(memory_), span_}; }
    std::size_t span() const { return span_; }

private:
    std::size_t span_;
    std::size_t length_;
    void* memory_;
};

} // namespace armci_test
