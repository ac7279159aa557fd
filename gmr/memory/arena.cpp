#include "gmr/memory/arena.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/node_memory.hpp"
#include "gmr/memory/directory.hpp"
#include "gmr/memory/pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armci::gmr {
namespace {

constexpr std::size_t least_span = std::size_t{16} << 20;
constexpr std::size_t most_range = std::size_t{32} << 40; // of the 128 TiB that x86-64 gives a process

// Addresses that Linux leaves alone: above the heap of fixed-address programs, below that of
// position-independent ones (0x55...), and inside what the address sanitizer calls application memory.
constexpr std::uintptr_t first_base = 0x2000'0000'0000;
constexpr std::uintptr_t base_step = 0x0400'0000'0000;
constexpr int bases = 12;

std::size_t round_up(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// Twice the node's memory in each half, so that neither symmetric slots of unequal slices nor fragmentation
// run short; less when many processes share the address space.
std::size_t choose_span(const Settings& settings, std::size_t processes)
{
    const std::size_t most = std::bit_floor(most_range / processes);
    if (settings.arena_size > 0)
        return std::min(most, std::bit_ceil(std::max<std::size_t>(least_span, settings.arena_size)));
    return std::min(most, std::bit_ceil(4 * std::max<std::uint64_t>(node_memory::total(), least_span)));
}

// All ranks of `comm` learn whether all of them succeeded.
bool everyone(MPI_Comm comm, bool ok)
{
    int mine = ok ? 1 : 0;
    int all = 0;
    mpi::check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
    return all != 0;
}

// Device and inode, which name a file on a machine; a process id does not, where processes have PID
// namespaces of their own.
struct FileIdentity {
    unsigned long long device = 0;
    unsigned long long inode = 0;

    explicit FileIdentity(const struct stat& status) : device(status.st_dev), inode(status.st_ino) {}
    FileIdentity() = default;
    bool operator==(const FileIdentity&) const = default;
};

struct Source {
    long pid;
    int fd;
    int error;
    FileIdentity identity;
    char name[64];
};

// Asked for first, as exceeding the limit on file sizes kills the process.
bool within_file_limit(std::size_t length)
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           length <= limit.rlim_cur;
}

int sized(int fd, std::size_t length)
{
    if (fd < 0)
        return fd;
    int error = EFBIG;
    if (within_file_limit(length)) {
        if (ftruncate(fd, static_cast<off_t>(length)) == 0)
            return fd;
        error = errno;
    }
    close(fd);
    errno = error;
    return -1;
}

FileIdentity identity_of(int fd)
{
    struct stat status {};
    return fd >= 0 && fstat(fd, &status) == 0 ? FileIdentity(status) : FileIdentity();
}

// Opens `path` if it names the leader's file. Looks first: opening another file, a device for instance, may
// have effects.
int open_same(const char* path, const FileIdentity& wanted)
{
    struct stat status {};
    if (stat(path, &status) != 0)
        return -1;
    if (FileIdentity(status) == wanted)
        return open(path, O_RDWR | O_CLOEXEC);
    errno = ESTALE; // a process of another PID namespace has that number here
    return -1;
}

// The leader makes the object with `make` and tells the others how to open it; all report.
template <class Make, class Open>
int share(MPI_Comm node, std::size_t length, Make make, Open open_other, int& error)
{
    int rank = 0;
    mpi::check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    Source source{};
    int fd = -1;
    if (rank == 0) {
        fd = sized(make(source), length);
        source.error = fd < 0 ? errno : 0;
        source.pid = static_cast<long>(getpid());
        source.fd = fd;
        source.identity = identity_of(fd);
    }
    mpi::check(MPI_Bcast(&source, sizeof source, MPI_BYTE, 0, node), "MPI_Bcast");
    if (rank != 0 && source.error == 0) {
        fd = open_other(source);
        if (fd >= 0 && identity_of(fd) != source.identity) {
            close(fd);
            fd = -1;
            errno = ESTALE;
        }
    }
    error = source.error != 0 ? source.error : fd < 0 ? errno : 0;
    const bool all = everyone(node, fd >= 0);
    if (rank == 0 && source.name[0] != '\0')
        shm_unlink(source.name);
    if (!all && fd >= 0)
        close(fd);
    return all ? fd : -1;
}

int share_memfd(MPI_Comm node, std::size_t length, int& error)
{
    return share(
        node, length, [](Source&) { return memfd_create("armci-arena", MFD_CLOEXEC); },
        [](const Source& source) {
            char path[64];
            std::snprintf(path, sizeof path, "/proc/%ld/fd/%d", source.pid, source.fd);
            return open_same(path, source.identity);
        },
        error);
}

int share_posix(MPI_Comm node, std::size_t length, int& error)
{
    return share(
        node, length,
        [](Source& source) {
            // A process of another PID namespace that sees this /dev/shm may have this process's id. It is
            // here for those who look for what a process left.
            unsigned long long number = 0;
            if (getrandom(&number, sizeof number, 0) != sizeof number)
                return -1;
            std::snprintf(source.name, sizeof source.name, "/armci-%ld-%016llx", static_cast<long>(getpid()),
                          number);
            return shm_open(source.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        },
        [](const Source& source) { return shm_open(source.name, O_RDWR | O_CLOEXEC, 0600); }, error);
}

std::byte* map_at(std::uintptr_t base, std::size_t length, int fd)
{
    void* const wanted = reinterpret_cast<void*>(base);
    void* const got = mmap(wanted, length, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE | (base != 0 ? MAP_FIXED_NOREPLACE : 0), fd, 0);
    if (got == MAP_FAILED)
        return nullptr;
    if (base != 0 && got != wanted) { // a kernel that does not know NOREPLACE takes the address as a hint
        munmap(got, length);
        return nullptr;
    }
    return static_cast<std::byte*>(got);
}

// Tries one address on all processes of `comm`; gives the mapping, or nothing on every process.
std::byte* map_together(MPI_Comm comm, std::uintptr_t base, std::size_t length, int fd)
{
    std::byte* const mapped = fd < 0 ? nullptr : map_at(base, length, fd);
    if (everyone(comm, mapped != nullptr))
        return mapped;
    if (mapped != nullptr)
        munmap(mapped, length);
    return nullptr;
}

// The fixed candidates first, one for all nodes: Global Arrays takes the addresses of its mirrored arrays
// from another node's processes of the same number. Then whatever address the kernel gives the leader of a
// node.
std::byte* map_somewhere(MPI_Comm world, MPI_Comm node, std::size_t length, int fd)
{
    for (int attempt = 0; attempt < bases; ++attempt)
        if (std::byte* const base = map_together(
                world, first_base + static_cast<std::uintptr_t>(attempt) * base_step, length, fd))
            return base;
    if (fd < 0)
        return nullptr;
    int rank = 0;
    mpi::check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    std::byte* mine = rank == 0 ? map_at(0, length, fd) : nullptr;
    auto base = reinterpret_cast<std::uintptr_t>(mine);
    mpi::check(MPI_Bcast(&base, sizeof base, MPI_BYTE, 0, node), "MPI_Bcast");
    if (base == 0)
        return nullptr;
    if (rank != 0)
        mine = map_at(base, length, fd);
    if (everyone(node, mine != nullptr))
        return mine;
    if (mine != nullptr)
        munmap(mine, length);
    return nullptr;
}

} // namespace

Arena Arena::create(MPI_Comm world, const Topology& topology, int me, const Settings& settings)
{
    const MPI_Comm node = topology.node_comm();
    const std::size_t processes = topology.members(topology.my_node()).size();
    unsigned long long span = choose_span(settings, processes);
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &span, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, world),
               "MPI_Allreduce");
    // Room for the directories of the largest node, so that slices lie alike on all.
    unsigned long long most = processes;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, world),
               "MPI_Allreduce");

    int error = 0;
    for (; span >= least_span; span /= 4) { // an address-space limit may be in force
        Arena arena;
        arena.span_ = span;
        arena.directories_at_ = round_up(sizeof(NodeControl), page);
        arena.directory_bytes_ = round_up(Directory::bytes(span), page);
        arena.slices_at_ = round_up(arena.directories_at_ + most * arena.directory_bytes_, huge_page);
        const std::size_t length = arena.slices_at_ + processes * span;

        if (settings.arena_backing != ArenaBacking::posix_shm) {
            arena.fd_ = share_memfd(node, length, error);
            arena.backing_ = "memfd";
        }
        if (arena.fd_ < 0 && settings.arena_backing != ArenaBacking::memfd) {
            arena.fd_ = share_posix(node, length, error);
            arena.backing_ = "POSIX shm (unlinked)";
        }
        arena.length_ = length;
        arena.base_ = map_somewhere(world, node, length, arena.fd_);
        if (arena.fd_ >= 0 && arena.base_ == nullptr)
            error = ENOMEM;
        if (everyone(world, arena.base_ != nullptr))
            return arena;
    }
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
    diag::fatal_together(
        me == 0, "ARMCI_Init",
        "the processes of a node (%zu here) cannot share memory (last error: %s); at least %zu MiB of "
        "address range per process is needed: look at 'ulimit -v' and 'ulimit -f', at /dev/shm and at "
        "seccomp rules for memfd_create",
        processes, std::strerror(error), least_span >> 20);
}

Arena::Arena(Arena&& other) noexcept
{
    *this = std::move(other);
}

Arena& Arena::operator=(Arena&& other) noexcept
{
    std::swap(base_, other.base_);
    std::swap(length_, other.length_);
    std::swap(directories_at_, other.directories_at_);
    std::swap(directory_bytes_, other.directory_bytes_);
    std::swap(slices_at_, other.slices_at_);
    std::swap(span_, other.span_);
    std::swap(fd_, other.fd_);
    std::swap(backing_, other.backing_);
    return *this;
}

Arena::~Arena()
{
    if (base_ != nullptr)
        munmap(base_, length_);
    if (fd_ >= 0)
        close(fd_);
}

std::uint64_t Arena::resident() const
{
    struct stat status {};
    return fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
}

std::uint64_t Arena::backing_room() const
{
    struct statvfs status {};
    if (fstatvfs(fd_, &status) != 0 || status.f_blocks == 0)
        return UINT64_MAX;
    return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

void Arena::discard(int node_rank, std::size_t offset, std::size_t bytes) const
{
    const std::size_t first = round_up(offset, page);
    const std::size_t last = (offset + bytes) / page * page;
    // A kernel that cannot punch holes keeps the pages for the next allocation; nothing is lost.
    if (first < last)
        madvise(slice(node_rank) + first, last - first, MADV_REMOVE);
}

} // namespace armci::gmr
