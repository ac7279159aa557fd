#include "armci/base/mpi_quirks.hpp"

#include "armci/base/diagnostics.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace armci::quirks {
namespace {

// The version with osc/pt2pt, which version 5 has no more.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
constexpr bool open_mpi_4 = true;
#else
constexpr bool open_mpi_4 = false;
#endif
constexpr const char* right_osc = "^ucx,rdma";
constexpr const char* one_receive = "1";

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
// Open MPI 4.1, as Debian configures it (osc = ^ucx,pt2pt), has no component that makes a window over TCP:
// MPI_ERR_WIN. osc/ucx loses accumulates (ompi 14175, 14181), and osc/rdma crashes in a compare-and-swap to
// self and mixes up windows that sibling groups make at the same time (docs/mpi-facts.md). What is left,
// osc/sm on a node and osc/pt2pt, is right. MPI_Init reads the choice, so it is made when this library is
// loaded, before main. What the user gave to mpirun --mca or put into the environment stands.
//
// osc/pt2pt posts four receives for its fragments, and carries out what completes first: one that is too long
// for its transport's eager messages (4 KiB between processes of one host) comes behind a later, shorter one.
// With one receive they keep their order, and puts cost less.
[[gnu::constructor]] void set_up_open_mpi()
{
    setenv("OMPI_MCA_osc", right_osc, 0);
    setenv("OMPI_MCA_osc_pt2pt_receive_count", one_receive, 0);
}
#endif

std::string_view parameter(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// MPICH's version as one number, 400200 for 4.0.2; 0 for another library.
int mpich_version()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const char* const found = std::strstr(text, "MPICH Version:");
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (found == nullptr || std::sscanf(found, "MPICH Version: %d.%d.%d", &major, &minor, &patch) < 2)
        return 0;
    return major * 100000 + minor * 10000 + patch * 100;
}

} // namespace

WindowFlavour usable(WindowFlavour wanted, bool complain)
{
    // mpich 6140, fixed in 4.0.3: memory that MPI allocates for a window is overwritten by another address.
    const int version = mpich_version();
    const bool allocates = wanted == WindowFlavour::allocate || wanted == WindowFlavour::shared;
    if (!allocates || version == 0 || version >= 400300)
        return wanted;
    if (complain)
        diag::warn("this MPICH gives wrong memory to windows that it allocates (mpich 6140, fixed in 4.0.3); "
                   "ARMCI_WINDOW=create is used instead");
    return WindowFlavour::create;
}

Ordering usable(Ordering wanted, bool complain)
{
    // osc/pt2pt: while one accumulate has the target, others wait, and later ones of their origin overtake
    // them (tests/litmus shows it).
    if (!open_mpi_4)
        return wanted;
    if (wanted == Ordering::accumulate && complain)
        diag::warn("Open MPI 4 does not keep accumulates in order; ARMCI_ORDERING=flush is used instead");
    return Ordering::flush;
}

IovMethod usable(IovMethod wanted, bool complain)
{
    if (wanted != IovMethod::direct || one_sided_derived_types())
        return wanted;
    if (complain)
        diag::warn("Open MPI 4 never frees the derived types of one-sided operations at their target; "
                   "ARMCI_IOV_METHOD=batched is used instead");
    return IovMethod::batched;
}

StridedMethod usable(StridedMethod wanted, bool complain)
{
    const bool derived = wanted == StridedMethod::direct || wanted == StridedMethod::packed;
    if (!derived || one_sided_derived_types())
        return wanted;
    if (complain)
        diag::warn("Open MPI 4 never frees the derived types of one-sided operations at their target; "
                   "ARMCI_STRIDED_METHOD=iov is used instead");
    return StridedMethod::iov;
}

int most_windows()
{
    // MPICH has 2,048 communicators a process, and each window takes one. Open MPI made 20,000.
    static const bool mpich = mpich_version() != 0;
    return mpich ? 512 : 1 << 16;
}

std::uint64_t ordered_put_bytes()
{
    // osc/pt2pt carries out what fits its 8 KiB fragments when they arrive, in order with one receive; osc/sm
    // stores at once. What other components do is not known.
    static const bool known = open_mpi_4 && parameter("OMPI_MCA_osc") == right_osc &&
                              parameter("OMPI_MCA_osc_pt2pt_receive_count") == one_receive;
    return known ? 4096 : 0;
}

std::uint64_t piece_bytes(bool alone)
{
    // MPICH copies each accumulate through buffers of its own.
    static const bool mpich = mpich_version() != 0;
    if (!mpich)
        return 1 << 30;
    return alone ? 512 * 1024 : 1024 * 1024;
}

bool puts_had_better_replace(std::uint64_t bytes)
{
    // osc/pt2pt: what does not fit a fragment but its transport's eager messages (docs/mpi-facts.md).
    return open_mpi_4 && bytes > 8000 && bytes < 64 * 1024;
}

std::uint64_t get_request_bytes()
{
    // A flush of osc/pt2pt costs a message to the target and its answer; but what does not fit its
    // transport's eager messages comes slower with a request, for whatever reason.
    return open_mpi_4 ? 64 * 1024 : UINT64_MAX;
}

std::uint64_t accumulate_request_bytes()
{
    // MPICH's request waits for the target's acknowledgement, as its flushes do, with less work. Open MPI's
    // is complete while the data lies unsent, for as long as this process does not enter MPI.
    static const bool mpich = mpich_version() != 0;
    return mpich ? piece_bytes(true) : 0;
}

bool fetches_by_request()
{
    // Open MPI answers before the new value is in place, and then a get may overtake it (docs/mpi-facts.md).
    static const bool mpich = mpich_version() != 0;
    return mpich;
}

bool one_sided_derived_types()
{
    // osc/pt2pt makes the target's type anew there for each operation, and never frees it.
    return !open_mpi_4;
}

std::uint64_t most_accumulated_bytes()
{
    // The target of osc/pt2pt takes a buffer for each, and more of them than malloc keeps (keep_freed_memory)
    // are mapped and faulted in each time: 16 of 1 MiB took 620 us each at once, 290 us four at a time.
    return open_mpi_4 ? 4 << 20 : UINT64_MAX;
}

std::size_t most_accumulated_blocks()
{
    // mpich 7886: the description of many irregular blocks runs over the header of the message, seen with 5.
    static const bool bounded = mpich_version() >= 500000;
    return bounded ? 256 : 1024;
}

bool flush_local_hangs()
{
    // osc/pt2pt waits for what lies unsent for other ranks, and does not send it.
    return open_mpi_4;
}

bool flushes_take_turns()
{
    // osc/pt2pt asks its target, which answers; elsewhere the operations bring what tells of their end.
    return open_mpi_4;
}

bool flushes_take_data_along()
{
    // osc/pt2pt puts the question into the fragment that waits for more.
    return open_mpi_4;
}

bool accumulates_are_acknowledged()
{
    static const bool mpich = mpich_version() != 0;
    return mpich;
}

void keep_freed_memory()
{
    // glibc maps what is larger than the largest mapped block freed so far, at first 128 KiB, and returns
    // free memory at the heap's end beyond twice that. So one block, never touched, sets both; what the user
    // set by mallopt stands.
    constexpr std::size_t bytes = 8 << 20;
    void* volatile const block = std::malloc(bytes);
    std::free(block);
}

void explain_window_failure(const char* call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    int error_class = MPI_ERR_OTHER;
    MPI_Error_class(code, &error_class);
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    const char* cure = "";
    if (error_class == MPI_ERR_WIN)
        cure = level == MPI_THREAD_MULTIPLE ? "; Open MPI 4 has no windows over TCP with "
                                              "MPI_THREAD_MULTIPLE: start MPI with a lower thread level"
                                            : "; Open MPI 4 found no one-sided component for this network: "
                                              "start the job with '--mca osc ^ucx,rdma' "
                                              "(this library asks for that by itself unless OMPI_MCA_osc is "
                                              "set, or it is opened by dlopen after "
                                              "MPI_Init)";
    diag::fatal(call, "MPI cannot make the window: %s%s", text, cure);
}

} // namespace armci::quirks
