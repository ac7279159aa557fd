// How much memory this node can still give, as the kernel and the control group see it.
#pragma once

#include <cstdint>

namespace armci::node_memory {

// All memory the job may ever have here, in bytes: RAM and swap, or the control group's limit if that is
// less.
std::uint64_t total();

// What can be had now, in bytes: available RAM and free swap, or what the control group leaves if that is
// less.
std::uint64_t available();

} // namespace armci::node_memory
