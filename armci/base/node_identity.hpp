// Node identity: who can share memory with whom, by what the system says, for MPI libraries that do not know.
#pragma once

#include <cstdint>
#include <optional>

namespace armci {

// Equal for processes of one user that run under one kernel, name their host alike, and see the same
// processes and the same /dev/shm: those can open each other's memory files. Others differ, as good as
// certainly. Nothing where the system does not say which kernel it is: host names alone name no machine.
std::optional<std::uint64_t> node_identity();

} // namespace armci
