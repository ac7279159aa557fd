#include "armci/base/node_identity.hpp"

#include "armci/base/text_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace armci {
namespace {

// Device and inode, which tell files apart; zeros where there is none.
std::string file_identity(const char* path)
{
    struct stat file {};
    stat(path, &file);
    return std::to_string(file.st_dev) + ':' + std::to_string(file.st_ino);
}

} // namespace

std::optional<std::uint64_t> node_identity()
{
    std::string all = read_text("/proc/sys/kernel/random/boot_id");
    if (all.empty())
        return std::nullopt;
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    for (const std::string& part : {std::string(host.data()), file_identity("/proc/self/ns/pid"),
                                    file_identity("/dev/shm"), std::to_string(geteuid())})
        all += ' ' + part;
    return std::hash<std::string>()(all);
}

} // namespace armci
