#include "gmr/memory/arena.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/node_memory.hpp"
#include "armci/base/shared_file.hpp"
#include "gmr/memory/directory.hpp"
#include "gmr/memory/pages.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace armci::gmr {
namespace {

constexpr std::size_t least_span = std::size_t{16} << 20;
constexpr std::size_t most_range = std::size_t{32} << 40; // of the 128 TiB that x86-64 gives a process

// Addresses that Linux leaves alone: above the heap of fixed-address programs, below that of
// position-independent ones (0x55...), and inside what the address sanitizer calls application memory.
constexpr std::uintptr_t first_base = 0x2000'0000'0000;
constexpr std::uintptr_t base_step = 0x0400'0000'0000;
constexpr std::size_t bases = 12;
// The thread sanitizer takes those addresses for itself. What it leaves to programs begins here, and the
// kernel puts libraries at least half a TiB higher.
constexpr std::uintptr_t last_base = 0x7e80'0000'0000;

std::array<std::uintptr_t, bases + 1> candidates()
{
    std::array<std::uintptr_t, bases + 1> all{};
    for (std::size_t i = 0; i < bases; ++i)
        all[i] = first_base + i * base_step;
    all[bases] = last_base;
    return all;
}

std::size_t round_up(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// Twice the node's memory in each half (of a node of unknown memory, as if it were 256 GiB), so that neither
// symmetric slots of unequal slices nor fragmentation run short; less when many processes share the address
// space.
std::size_t choose_span(const Settings& settings, std::size_t processes)
{
    const std::size_t most = std::bit_floor(most_range / processes);
    if (settings.arena_size > 0)
        return std::min(most, std::bit_ceil(std::max<std::size_t>(least_span, settings.arena_size)));
    const std::uint64_t total = node_memory::here().total().value_or(std::uint64_t{256} << 30);
    return std::min(most, std::bit_ceil(4 * std::clamp<std::uint64_t>(total, least_span, most)));
}

// All ranks of `comm` learn whether all of them succeeded.
bool everyone(MPI_Comm comm, bool ok)
{
    int all = ok ? 1 : 0;
    mpi::allreduce(&all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}

// Why there is no arena, as errno has it, by what was tried; 0 where that worked or was not tried.
struct Failure {
    int memfd = 0;
    int posix_shm = 0;
    int mapping = 0;
};

// The leader makes the file and tells the others how to open it. Gives a descriptor to all, or to none.
int share(MPI_Comm machine, shared_file::Kind kind, std::size_t length, int& error)
{
    int rank = 0;
    mpi::check(MPI_Comm_rank(machine, &rank), "MPI_Comm_rank");
    shared_file::Offer offer{};
    int fd = rank == 0 ? shared_file::make(kind, length, offer) : -1;
    mpi::broadcast(&offer, sizeof offer, 0, machine);
    error = offer.error;
    if (rank != 0 && offer.error == 0) {
        fd = shared_file::open(offer);
        error = fd < 0 ? errno : 0;
    }
    const bool all = everyone(machine, fd >= 0);
    if (rank == 0)
        shared_file::unlink(offer);
    if (!all && fd >= 0)
        close(fd);
    return all ? fd : -1;
}

void* map(void* wanted, std::size_t length, int fd, std::size_t offset)
{
    void* const got = mmap(wanted, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                           static_cast<off_t>(offset));
    return got == MAP_FAILED ? nullptr : got;
}

// What an arena is mapped from: `length` bytes of `fd` from `offset` on.
struct Extent {
    int fd;
    std::size_t offset;
    std::size_t length;
};

// A base of 0 lets the kernel choose. Any other base is a hint, and any other result a failure:
// MAP_FIXED_NOREPLACE would take a system call less, but GCC's ThreadSanitizer moves it to address 0.
std::byte* map_at(std::uintptr_t base, const Extent& extent)
{
    void* const wanted = reinterpret_cast<void*>(base);
    void* const got = map(wanted, extent.length, extent.fd, extent.offset);
    if (got != nullptr && base != 0 && got != wanted) {
        munmap(got, extent.length);
        return nullptr;
    }
    return static_cast<std::byte*>(got);
}

// Tries one address on all processes of `comm`; gives the mapping, or nothing on every process.
std::byte* map_together(MPI_Comm comm, std::uintptr_t base, const Extent& extent)
{
    std::byte* const mapped = extent.fd < 0 ? nullptr : map_at(base, extent);
    if (everyone(comm, mapped != nullptr))
        return mapped;
    if (mapped != nullptr)
        munmap(mapped, extent.length);
    return nullptr;
}

// The fixed candidates first, one for all nodes: Global Arrays takes the addresses of its mirrored arrays
// from another node's processes of the same number. Then whatever address the kernel gives the leader of a
// node.
std::byte* map_somewhere(MPI_Comm world, MPI_Comm node, const Extent& extent)
{
    for (const std::uintptr_t candidate : candidates())
        if (std::byte* const base = map_together(world, candidate, extent))
            return base;
    if (extent.fd < 0)
        return nullptr;
    int rank = 0;
    mpi::check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    std::byte* mine = rank == 0 ? map_at(0, extent) : nullptr;
    auto base = reinterpret_cast<std::uintptr_t>(mine);
    mpi::broadcast(&base, sizeof base, 0, node);
    if (base == 0)
        return nullptr;
    if (rank != 0)
        mine = map_at(base, extent);
    if (everyone(node, mine != nullptr))
        return mine;
    if (mine != nullptr)
        munmap(mine, extent.length);
    return nullptr;
}

[[noreturn]] void give_up(MPI_Comm world, const Topology& topology, int me, Failure failure)
{
    mpi::allreduce(&failure, 3, MPI_INT, MPI_MAX, world);
    const std::size_t processes = topology.members(topology.my_node()).size();
    if (failure.mapping != 0)
        diag::fatal_together(
            me == 0, "ARMCI_Init",
            "the processes of a node (%zu here) cannot share memory (%s); at least %zu MiB of "
            "address range per process is needed: look at 'ulimit -v'",
            processes, std::strerror(failure.mapping), least_span >> 20);
    const auto reason = [](int error) { return error == 0 ? "not tried" : std::strerror(error); };
    const std::string memfd = reason(failure.memfd);
    const std::string posix_shm = reason(failure.posix_shm);
    diag::fatal_together(me == 0, "ARMCI_Init",
                         "the processes of a node (%zu here) cannot share memory: no memfd (%s), and no file "
                         "in /dev/shm (%s); "
                         "look at 'ulimit -f', at /dev/shm, at seccomp rules for memfd_create, and whether "
                         "containers share the "
                         "processes' numbers or /dev/shm",
                         processes, memfd.c_str(), posix_shm.c_str());
}

} // namespace

Arena Arena::create(MPI_Comm world, const Topology& topology, int me, const Settings& settings)
{
    const std::size_t processes = topology.members(topology.my_node()).size();
    unsigned long long span = choose_span(settings, processes);
    mpi::allreduce(&span, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, world);
    // Room for the locks and directories of the largest node, so that slices lie alike on all.
    unsigned long long most = processes;
    mpi::allreduce(&most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, world);

    // The machine's nodes have a file together, so that its blocks are those of all of them.
    const MPI_Comm machine = topology.machine_comm();
    const auto nodes = static_cast<std::size_t>(topology.nodes_here());
    const auto mine = static_cast<std::size_t>(topology.node_here());
    Failure failure;
    for (; span >= least_span; span /= 4) { // an address-space limit may be in force
        Arena arena;
        arena.span_ = span;
        arena.stripes_ = Stripes::count_for(most);
        arena.directories_at_ = round_up(stripes_at + arena.stripes_ * sizeof(Stripe), page_bytes());
        arena.directory_bytes_ = round_up(Directory::bytes(span), page_bytes());
        arena.slices_at_ = round_up(arena.directories_at_ + most * arena.directory_bytes_, huge_page);
        arena.length_ = arena.slices_at_ + processes * span;
        const std::size_t room_of_node = arena.slices_at_ + most * span;
        const std::size_t file_length = huge_page + nodes * room_of_node;

        failure = {};
        if (settings.arena_backing != ArenaBacking::posix_shm) {
            arena.fd_ = share(machine, shared_file::Kind::memfd, file_length, failure.memfd);
            arena.backing_ = "memfd";
        }
        if (arena.fd_ < 0 && settings.arena_backing != ArenaBacking::memfd) {
            arena.fd_ = share(machine, shared_file::Kind::posix_shm, file_length, failure.posix_shm);
            arena.backing_ = "POSIX shm (unlinked)";
        }
        if (arena.fd_ >= 0)
            arena.machine_ = static_cast<MachineControl*>(map(nullptr, sizeof(MachineControl), arena.fd_, 0));
        const Extent extent{arena.fd_, huge_page + mine * room_of_node, arena.length_};
        arena.base_ = map_somewhere(world, topology.node_comm(), extent);
        if (arena.fd_ >= 0)
            failure = {0, 0, arena.mapped() ? 0 : ENOMEM};
        if (!everyone(world, arena.mapped()))
            continue;
        // A core dump would fill the holes of what it holds.
        madvise(arena.base_, arena.length_, MADV_DONTDUMP);
        return arena;
    }
    give_up(world, topology, me, failure);
}

Arena::Arena(Arena&& other) noexcept
{
    *this = std::move(other);
}

Arena& Arena::operator=(Arena&& other) noexcept
{
    std::swap(base_, other.base_);
    std::swap(machine_, other.machine_);
    std::swap(length_, other.length_);
    std::swap(stripes_, other.stripes_);
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
    if (machine_ != nullptr)
        munmap(machine_, sizeof(MachineControl));
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
    struct statvfs system {};
    return fstatvfs(fd_, &system) == 0 ? shared_file::room(system) : UINT64_MAX;
}

void Arena::discard(int node_rank, std::size_t offset, std::size_t bytes) const
{
    const std::size_t first = round_up(offset, page_bytes());
    const std::size_t last = (offset + bytes) / page_bytes() * page_bytes();
    // A kernel that cannot punch holes keeps the pages for the next allocation; nothing is lost.
    if (first < last)
        madvise(slice(node_rank) + first, last - first, MADV_REMOVE);
}

void Arena::set_dumped(int node_rank, std::size_t first, std::size_t last, bool dumped) const
{
    madvise(slice(node_rank) + first, last - first, dumped ? MADV_DODUMP : MADV_DONTDUMP);
}

} // namespace armci::gmr
