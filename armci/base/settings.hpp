// Settings: one table row per environment variable. The row gives name, type, default, range and text; parsing,
// armci_info's listing and docs/settings.md all come from it.
#pragma once

#include "armci/base/diagnostics.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace armci {

enum class ArenaBacking { automatic, memfd, posix_shm };

struct Settings {
    std::int64_t verbose = 0;
    std::int64_t stats = 0;
    diag::OnError errors = diag::OnError::abort;
    std::int64_t arena_size = 0; // bytes of address range per process; 0: derived from the memory of the node
    ArenaBacking arena_backing = ArenaBacking::automatic;
    std::int64_t memory_limit = 0; // bytes per process; 0: what the node has
    std::int64_t memory_check = 1;
    std::int64_t spin = -1; // rounds before a wait yields; -1: chosen from ranks and cores
};

namespace settings {

enum class Type { boolean, integer, bytes, choice, accepted };

struct Row {
    const char* name;
    Type type;
    const char* default_text;
    std::int64_t least;
    std::int64_t most;
    const char* choices; // "a|b|c" for Type::choice
    const char* text;
    void (*store)(Settings&, std::int64_t);
    std::int64_t (*load)(const Settings&);
};

// All rows, in the order in which they are listed.
std::span<const Row> table();

// Reads the environment. A bad value keeps the default. `complain` (one process per job) prints one warning for
// each bad value and for each unknown ARMCI_ variable, naming the nearest known one.
Settings from_environment(bool complain);

// The value as the user would write it.
std::string value_text(const Row& row, const Settings& settings);

} // namespace settings
} // namespace armci
