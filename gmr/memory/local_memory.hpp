// Local memory (ARMCI_Malloc_local): page-aligned, private to the process, with huge-page advice for large
// blocks. Safe to call from any thread.
#pragma once

#include <cstdint>

namespace armci::gmr {

// Gives NULL for 0 bytes, and for a mistake or a lack of memory, which are reported.
void* allocate_local(const char* call, std::int64_t bytes);
int free_local(const char* call, void* pointer);

} // namespace armci::gmr
