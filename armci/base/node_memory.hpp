// How much memory this node can still give, as the kernel and the control group see it.
//
// A figure that is absent, or that no kernel would give, is unknown. Unknown is no limit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armci::node_memory {

// Who else takes from the same memory without sharing this process's count of it: the number of counts, one
// at least, on this machine and in this control group. Each count may hand out its part of what is free.
struct Counts {
    std::uint64_t on_machine = 1;
    std::uint64_t in_group = 1;
};

// Equal for processes whose figures are those of one machine, or of one control group. 0 is unknown.
struct Domain {
    std::uint64_t machine = 0;
    std::uint64_t group = 0;
};

// Where the figures are read. Finds the control groups that limit memory once, when it is made.
class Sources {
public:
    // `root` goes before each path; a test has files of its own there.
    explicit Sources(std::string root = "");

    // All memory the job may ever have here, in bytes: RAM and swap, or the control group's limit if that is
    // less.
    std::optional<std::uint64_t> total() const;

    // What can be had now, in bytes: available RAM and free swap, or what the control group leaves if that is
    // less.
    std::optional<std::uint64_t> available(const Counts& counts = {}) const;

    Domain domain() const;

private:
    // A control group that limits memory: the files to read, in version 1 or 2 of the interface.
    struct Group {
        std::string folder;
        const char* maximum;
        const char* used;
        std::array<const char*, 2> reclaimable; // lines of memory.stat: files that the kernel can drop
    };
    std::vector<Group> find_groups() const;
    static std::optional<std::uint64_t> limit_of(const Group& group);

    std::string root_;
    std::vector<Group> groups_; // that of this process first, then its ancestors
};

// The sources of this process.
const Sources& here();

} // namespace armci::node_memory
