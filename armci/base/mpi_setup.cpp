// MPI setup: what an MPI library must be told before MPI_Init, by a constructor that runs when this library
// is loaded. Only where it is known to help; what the user set, in the environment, on mpirun's line (which
// is in the environment by then) or in a file of the home folder, stands.
//
// Open MPI 4.1 has three one-sided components for what MPI_Win_create makes (docs/mpi-facts.md):
//
// - pt2pt: right over pml/ob1; over pml/ucx it never answers a fetch-and-op. Debian's file shuts it out.
// - ucx: right over pml/ucx.
// - rdma: crashes in a compare-and-swap to self, mixes up windows that sibling groups make at once.
//
// So pml decides. It is UCX where it was asked for, or where nobody asked and there is a device that UCX is
// made for. Over pml/ob1, osc/ucx of Open MPI 5 would be taken all the same, and that of 6 complains about
// each window; Debian's file shuts it out in 5.
//
// Waits inside osc/ucx look at UCX 100 times before they let the rest of MPI progress, and yield. Where
// processes have no core each, the one waited for waits for a core meanwhile.
//
// osc/pt2pt posts four receives for its fragments, and carries out what completes first: one that is too long
// for its transport's eager messages (4 KiB between processes of one host) comes behind a later, shorter one.
// With one receive they keep their order, and puts cost less.
#include "armci/base/mpi_setup.hpp"

#include "armci/base/text_file.hpp"

#include <mpi.h>

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace armci::setup {
namespace {

constexpr const char* infiniband_devices = "/sys/class/infiniband";

const char* osc_set = nullptr;
bool over_ucx = false;

#if defined(OMPI_MAJOR_VERSION)

// The value that a file of parameters ("name = value" by line) gives; empty if none.
std::string in_file(const std::string& path, const std::string& name)
{
    const std::string text = read_text(path);
    std::string value;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        line.erase(0, line.find_first_not_of(" \t"));
        const std::size_t equals = line.find('=');
        if (line.starts_with('#') || equals == std::string::npos)
            continue;
        std::string key = line.substr(0, equals);
        key.erase(key.find_last_not_of(" \t") + 1);
        if (key != name)
            continue;
        value = line.substr(equals + 1);
        value.erase(0, value.find_first_not_of(" \t"));
        value.erase(value.find_last_not_of(" \t\r") + 1);
    }
    return value;
}

std::string set_by_user(const std::string& name)
{
    if (const char* const value = std::getenv(("OMPI_MCA_" + name).c_str()))
        return value;
    const char* const home = std::getenv("HOME");
    return home == nullptr ? "" : in_file(std::string(home) + "/.openmpi/mca-params.conf", name);
}

std::string set_by_anybody(const std::string& name)
{
    std::string value = set_by_user(name);
    if (value.empty())
        if (const char* const prefix = std::getenv("OPAL_PREFIX"))
            value = in_file(std::string(prefix) + "/etc/openmpi-mca-params.conf", name);
    return value.empty() ? in_file("/etc/openmpi/openmpi-mca-params.conf", name) : value;
}

// Tells whether a device has a driver for which Open MPI takes UCX by itself. Others are there as well:
// Omni-Path, EFA and Ethernet cards, for which it takes psm2, ofi or TCP, and may have been built without
// UCX.
bool has_infiniband()
{
    DIR* const devices = opendir(infiniband_devices);
    if (devices == nullptr)
        return false;
    bool found = false;
    while (const dirent* const entry = readdir(devices)) {
        std::array<char, PATH_MAX> driver{};
        const std::string link = std::string(infiniband_devices) + '/' + entry->d_name + "/device/driver";
        const bool is_read = readlink(link.c_str(), driver.data(), driver.size() - 1) > 0;
        const char* const name = std::strrchr(driver.data(), '/');
        found = found ||
                (is_read && std::string_view(name == nullptr ? driver.data() : name + 1).starts_with("mlx"));
    }
    closedir(devices);
    return found;
}

// A list of components, or "^" and a list of those to leave out.
bool takes_ucx(const std::string& pml)
{
    if (pml.empty())
        return has_infiniband();
    std::string list(",");
    list.append(pml, pml.starts_with('^') ? 1 : 0).append(",");
    const bool is_named = list.find(",ucx,") != std::string::npos;
    return pml.starts_with('^') ? !is_named && has_infiniband() : is_named;
}

// More processes on this node than it has cores; the launcher says how many there are.
bool has_too_few_cores()
{
    const char* const processes = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return processes != nullptr && std::atol(processes) > sysconf(_SC_NPROCESSORS_ONLN);
}

[[gnu::constructor]] void set_up_open_mpi()
{
    over_ucx = takes_ucx(set_by_anybody("pml"));
    if (over_ucx && has_too_few_cores() && set_by_user("opal_common_ucx_progress_iterations").empty())
        setenv("OMPI_MCA_opal_common_ucx_progress_iterations", "1", 0);
    if (!set_by_user("osc").empty())
        return;
    if (over_ucx)
        osc_set = "^rdma,pt2pt";
    else if (OMPI_MAJOR_VERSION == 4)
        osc_set = "^ucx,rdma";
    else if (set_by_anybody("osc").empty())
        osc_set = "^ucx";
    else
        return;
    setenv("OMPI_MCA_osc", osc_set, 0);
    setenv("OMPI_MCA_osc_pt2pt_receive_count", "1", 0);
}

#endif

} // namespace

const char* osc_set_here()
{
    return osc_set;
}

bool takes_ucx_for_messages()
{
    return over_ucx;
}

} // namespace armci::setup
