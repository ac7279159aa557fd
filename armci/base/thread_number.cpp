#include "armci/base/thread_number.hpp"

#include <atomic>

namespace armci {

std::uint32_t thread_number()
{
    static std::atomic<std::uint32_t> latest{0};
    thread_local const std::uint32_t mine = ++latest;
    return mine;
}

} // namespace armci
