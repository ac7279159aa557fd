// Thread number: names each thread of this process, from 1 on.
//
// The kernel's thread ids do not name threads of a job: processes in PID namespaces of their own (a container
// for each rank) have the same ones.
#pragma once

#include <cstdint>

namespace armci {

// Returns the calling thread's number. No other thread of this process has it, then or later.
std::uint32_t thread_number();

} // namespace armci
