#include "armci/base/node_memory.hpp"

#include "armci/base/text_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

namespace armci::node_memory {
namespace {

using Figure = std::optional<std::uint64_t>;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
// Version 1 of control groups says "no limit" by a number near 2^63. No machine has half of that.
constexpr std::uint64_t no_limit_from = std::uint64_t{1} << 62;
constexpr std::uint64_t never_overcommit = 2; // in /proc/sys/vm/overcommit_memory

// The number that `text` begins with, after spaces. A sign, a word ("max") or a number beyond 64 bits gives
// nothing.
Figure number(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
        return std::nullopt;
    return value;
}

// The number of the line that begins with `name`.
Figure field(std::string_view text, std::string_view name)
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.starts_with(name))
            return number(line.substr(name.size()));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return std::nullopt;
}

// A line of /proc/meminfo in bytes.
Figure kilobytes(std::string_view text, std::string_view name)
{
    const Figure figure = field(text, name);
    if (!figure || *figure >= no_limit_from / 1024)
        return std::nullopt;
    return *figure * 1024;
}

Figure least_of(Figure one, Figure other)
{
    return std::min(one.value_or(most), other.value_or(most)) == most
               ? std::nullopt
               : Figure(std::min(one.value_or(most), other.value_or(most)));
}

Figure not_zero(Figure figure)
{
    return figure == std::uint64_t{0} ? std::nullopt : figure;
}

Figure part(Figure figure, std::uint64_t counts)
{
    return figure ? Figure(*figure / std::max<std::uint64_t>(counts, 1)) : figure;
}

std::uint64_t hash(const std::string& text)
{
    return text.empty() ? 0 : std::hash<std::string>()(text);
}

} // namespace

Sources::Sources(std::string root) : root_(std::move(root)), groups_(find_groups()) {}

// This process's groups and all their ancestors; any of them may be the one that binds.
std::vector<Sources::Group> Sources::find_groups() const
{
    std::vector<Group> groups;
    const std::string all = read_text(root_ + "/proc/self/cgroup");
    for (std::string_view rest = all; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto first = line.find(':'); // number:controllers:path
        const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos)
            continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const bool unified = controllers.empty();
        if (!unified && controllers != "memory")
            continue;
        const std::string mount = root_ + (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
        for (std::string path(line.substr(second + 1));;) {
            const std::string folder = mount + (path == "/" ? "" : path);
            groups.push_back(
                unified ? Group{folder, "/memory.max", "/memory.current", {"inactive_file", "active_file"}}
                        : Group{folder,
                                "/memory.limit_in_bytes",
                                "/memory.usage_in_bytes",
                                {"total_inactive_file", "total_active_file"}});
            const auto slash = path.rfind('/');
            if (path == "/" || slash == std::string::npos)
                break;
            path = slash == 0 ? "/" : path.substr(0, slash);
        }
    }
    std::erase_if(groups, [](const Group& group) { return !limit_of(group); });
    return groups;
}

// A process runs in the group, so 0 is no limit either.
std::optional<std::uint64_t> Sources::limit_of(const Group& group)
{
    const Figure limit = not_zero(number(read_text(group.folder + group.maximum)));
    return limit && *limit < no_limit_from ? limit : std::nullopt;
}

std::optional<std::uint64_t> Sources::total() const
{
    const std::string meminfo = read_text(root_ + "/proc/meminfo");
    Figure bytes = not_zero(kilobytes(meminfo, "MemTotal:"));
    if (bytes)
        *bytes += kilobytes(meminfo, "SwapTotal:").value_or(0);
    for (const Group& group : groups_)
        bytes = least_of(bytes, limit_of(group));
    return bytes;
}

std::optional<std::uint64_t> Sources::available(const Counts& counts) const
{
    const std::string meminfo = read_text(root_ + "/proc/meminfo");
    const Figure ram = not_zero(kilobytes(meminfo, "MemTotal:"));
    Figure bytes = kilobytes(meminfo, "MemAvailable:");
    if (bytes == std::uint64_t{0} && !ram) // nothing is free of a machine that has nothing: no answer
        bytes.reset();
    if (bytes)
        *bytes = std::min(*bytes, ram.value_or(most)) + kilobytes(meminfo, "SwapFree:").value_or(0);
    // Shared memory counts when it is touched, and a touch beyond the limit ends the process.
    if (number(read_text(root_ + "/proc/sys/vm/overcommit_memory")) == never_overcommit)
        if (const Figure limit = kilobytes(meminfo, "CommitLimit:"))
            bytes =
                least_of(bytes, *limit - std::min(*limit, kilobytes(meminfo, "Committed_AS:").value_or(0)));
    bytes = part(bytes, counts.on_machine);
    for (const Group& group : groups_) {
        const Figure limit = limit_of(group);
        const Figure used = number(read_text(group.folder + group.used));
        if (!limit || !used || *used >= no_limit_from)
            continue;
        std::uint64_t taken = *used;
        const std::string statistics = read_text(group.folder + "/memory.stat");
        for (const char* const reclaimable : group.reclaimable)
            taken -= std::min(taken, field(statistics, reclaimable).value_or(0));
        bytes = least_of(bytes, part(*limit - std::min(*limit, taken), counts.in_group));
    }
    return bytes;
}

// A control group has a folder with a number of its own on the machine, whatever path a container sees it by.
Domain Sources::domain() const
{
    const std::string machine = read_text(root_ + "/proc/sys/kernel/random/boot_id");
    Domain domain{hash(machine), 0};
    struct stat folder {};
    if (domain.machine != 0 && !groups_.empty() && stat(groups_.front().folder.c_str(), &folder) == 0)
        domain.group = hash(machine + std::to_string(folder.st_dev) + ':' + std::to_string(folder.st_ino));
    return domain;
}

const Sources& here()
{
    static const auto* const sources = new Sources; // exit handlers of the program may still allocate
    return *sources;
}

} // namespace armci::node_memory
