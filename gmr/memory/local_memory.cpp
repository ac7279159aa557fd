#include "gmr/memory/local_memory.hpp"

#include "armci/base/diagnostics.hpp"
#include "gmr/memory/pages.hpp"

#include <sys/mman.h>

#include <cinttypes>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

namespace armci::gmr {
namespace {

constexpr std::size_t huge_from = 2 * huge_page; // below that the alignment would waste more than it gains

std::mutex guard;
std::unordered_set<void*>& live()
{
    static auto* const blocks = new std::unordered_set<void*>; // exit handlers of the program may still free
    return *blocks;
}

} // namespace

void* allocate_local(const char* call, std::int64_t bytes)
{
    if (bytes < 0) {
        diag::reject(call, "size is %" PRId64 " bytes; it must not be negative", bytes);
        return nullptr;
    }
    if (bytes == 0)
        return nullptr;
    const auto size = static_cast<std::size_t>(bytes);
    const bool huge = size >= huge_from;
    void* block = nullptr;
    if (posix_memalign(&block, huge ? huge_page : page_bytes(), size) != 0) {
        diag::reject(call, "%zu bytes of local memory asked, but the system has not that much", size);
        return nullptr;
    }
    if (huge)
        madvise(block, size / huge_page * huge_page, MADV_HUGEPAGE);
    const std::lock_guard lock(guard);
    live().insert(block);
    return block;
}

int free_local(const char* call, void* pointer)
{
    if (pointer == nullptr)
        return 0;
    {
        const std::lock_guard lock(guard);
        if (live().erase(pointer) == 0)
            return diag::reject(
                call, "%p is not local memory of this process; it was never allocated or is freed already",
                pointer);
    }
    std::free(pointer);
    return 0;
}

} // namespace armci::gmr
