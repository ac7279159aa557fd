#include "armci/base/node_memory.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armci::node_memory {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path)
{
    return {std::fopen(path.c_str(), "re"), &std::fclose};
}

// The number of a "name: number kB" or "name number" line.
std::optional<std::uint64_t> field(const std::string& path, const char* name)
{
    const File file = open(path);
    if (!file)
        return std::nullopt;
    char line[256];
    const std::size_t length = std::strlen(name);
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
        std::uint64_t number = 0;
        if (std::strncmp(line, name, length) == 0 && std::sscanf(line + length, " %" SCNu64, &number) == 1)
            return number;
    }
    return std::nullopt;
}

// A file that holds one number; "max" (no limit) gives nothing.
std::optional<std::uint64_t> number_in(const std::string& path)
{
    const File file = open(path);
    std::uint64_t number = 0;
    if (!file || std::fscanf(file.get(), "%" SCNu64, &number) != 1)
        return std::nullopt;
    return number;
}

std::uint64_t meminfo(const char* name)
{
    return field("/proc/meminfo", name).value_or(0) * 1024;
}

// A control group that limits memory: the files to read, in version 1 or 2 of the interface.
struct Limit {
    std::string maximum;
    std::string used;
    std::string statistics;
    const char* reclaimable;
};

// This process's groups and all their ancestors; any of them may be the one that binds.
std::vector<Limit> find_limits()
{
    std::vector<Limit> limits;
    const File file = open("/proc/self/cgroup");
    char line[4096];
    while (file && std::fgets(line, sizeof line, file.get()) != nullptr) {
        line[std::strcspn(line, "\n")] = '\0';
        char* controllers = std::strchr(line, ':');
        char* path = controllers == nullptr ? nullptr : std::strchr(controllers + 1, ':');
        if (path == nullptr)
            continue;
        *path++ = '\0';
        ++controllers;
        const bool unified = *controllers == '\0';
        if (!unified && std::strcmp(controllers, "memory") != 0)
            continue;
        const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        for (std::string group = path;;) {
            const std::string folder = root + (group == "/" ? "" : group);
            if (unified)
                limits.push_back({folder + "/memory.max", folder + "/memory.current", folder + "/memory.stat",
                                  "inactive_file"});
            else
                limits.push_back({folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes",
                                  folder + "/memory.stat", "total_inactive_file"});
            const auto slash = group.rfind('/');
            if (group == "/" || slash == std::string::npos)
                break;
            group = slash == 0 ? "/" : group.substr(0, slash);
        }
    }
    std::erase_if(limits, [](const Limit& limit) { return !number_in(limit.maximum); });
    return limits;
}

const std::vector<Limit>& limits()
{
    static const std::vector<Limit> found = find_limits();
    return found;
}

} // namespace

std::uint64_t total()
{
    std::uint64_t bytes = meminfo("MemTotal:") + meminfo("SwapTotal:");
    for (const Limit& limit : limits())
        bytes = std::min(bytes, number_in(limit.maximum).value_or(bytes));
    return bytes;
}

std::uint64_t available()
{
    std::uint64_t bytes = meminfo("MemAvailable:") + meminfo("SwapFree:");
    for (const Limit& limit : limits()) {
        const auto maximum = number_in(limit.maximum);
        const auto used = number_in(limit.used);
        if (!maximum || !used)
            continue;
        const std::uint64_t reclaimable = field(limit.statistics, limit.reclaimable).value_or(0);
        const std::uint64_t taken = *used - std::min(*used, reclaimable);
        bytes = std::min(bytes, *maximum - std::min(*maximum, taken));
    }
    return bytes;
}

} // namespace armci::node_memory
