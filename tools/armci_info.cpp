// armci_info: what this build of the library is, its settings, and what it finds on this node.
#include "armci/base/agreed_settings.hpp"
#include "armci/base/cost_model.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/wait.hpp"
#include "armci/runtime.hpp"
#include "gmr/network/rma.hpp"
#include "gmr/network/window.hpp"
#include "gmr/node/kernels/copy.hpp"
#include "iov/methods.hpp"
#include "strided/methods.hpp"
#include "tools/selftest/selftest.hpp"

#include <mpi.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

using namespace armci;

namespace {

constexpr const char* usage =
    "usage: [mpirun ...] armci_info [--markdown | --node | --selftest]\n"
    "  (nothing)   version, MPI, what is known of it for the processes of this job, and settings\n"
    "  --markdown  the settings as a page of documentation\n"
    "  --node      also starts the library, and says what process 0 found\n"
    "  --selftest  checks answers on every path that this job has, and measures them\n";

// A binary size in the largest unit that divides it.
std::string size_text(std::int64_t bytes)
{
    static constexpr std::string_view units = "KMGT";
    std::string unit;
    for (std::size_t i = 0; i < units.size() && bytes != 0 && bytes % 1024 == 0; ++i, bytes /= 1024)
        unit = units[i];
    return std::to_string(bytes) + unit;
}

std::string values(const settings::Row& row)
{
    switch (row.type) {
    case settings::Type::boolean:
        return "0 or 1";
    case settings::Type::choice: {
        std::string text;
        for (const char* c = row.choices; *c != '\0'; ++c)
            text += *c == '|' ? std::string(", ") : std::string(1, *c);
        return text;
    }
    case settings::Type::path:
        return "a path";
    case settings::Type::report:
        return "0, 1, or a file name that ends with .json";
    case settings::Type::accepted:
        return "any";
    default:
        break;
    }
    const bool bytes = row.type == settings::Type::bytes;
    const auto number = [bytes](std::int64_t value) {
        return bytes ? size_text(value) : std::to_string(value);
    };
    std::string text = bytes ? "bytes, from " : "from ";
    text += number(row.least);
    if (row.most != INT64_MAX)
        text += " to " + number(row.most);
    return text;
}

void print_markdown()
{
    std::printf(
        "# Settings\n\n"
        "Environment variables, read once at `ARMCI_Init`. None is needed: the defaults are right. This page "
        "is\n"
        "made by `armci_info --markdown` from the table in `armci/base/settings.cpp`; `armci_info` also "
        "shows the\n"
        "values in force.\n\n"
        "One value holds for all processes: that of the lowest process that has the variable. Where others "
        "have\n"
        "another, or none, one warning names the variable, its value and such a process.\n\n"
        "A size takes the suffix K, M, G or T (powers of 1024). A truth value may also be yes, no, true, "
        "false,\n"
        "on or off. An unknown `ARMCI_` variable, or a value out of range, gets one warning; the default is\n"
        "then used.\n\n"
        "| name | values | default | what it does |\n|---|---|---|---|\n");
    for (const settings::Row& row : settings::table())
        if (row.type != settings::Type::accepted)
            std::printf("| `%s` | %s | %s | %s |\n", row.name, values(row).c_str(), row.default_text,
                        row.text);
    std::printf(
        "\n## Known and without effect\n\n"
        "Settings of other ARMCI libraries that have nothing to do here; they are accepted silently.\n\n"
        "| name | why |\n|---|---|\n");
    for (const settings::Row& row : settings::table())
        if (row.type == settings::Type::accepted)
            std::printf("| `%s` | %s |\n", row.name, row.text);
}

void print_build()
{
    char running[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(running, &length);
    running[std::strcspn(running, "\n")] = '\0';
    std::replace(running, running + std::strlen(running), '\t', ' ');
    std::printf("armci-rma   %s\n", ARMCI_RMA_VERSION);
#if defined(OPEN_MPI)
    std::printf("built for   Open MPI %d.%d.%d\n", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
    std::printf("built for   MPICH %s\n", MPICH_VERSION);
#else
    std::printf("built for   an MPI of standard %d.%d\n", MPI_VERSION, MPI_SUBVERSION);
#endif
    std::printf("runs on     %s\n", running);
    std::printf("tune files  of %s, by this version\n", cost::running().mpi.c_str());
}

// Makes a window over the processes of this job, by which the traits are known.
void look_at_mpi()
{
    void* const page = std::aligned_alloc(gmr::window_alignment(), gmr::window_alignment());
    gmr::Window::over(MPI_COMM_WORLD, page, gmr::window_alignment(), EpochStyle::lock_all);
    std::free(page);
}

void print_traits()
{
    std::printf("\nwhat it knows of this MPI over the network, and from where\n");
    for (const traits::Row& row : traits::rows())
        std::printf("  %-42s %-10s %s\n", row.name.c_str(), row.value.c_str(), row.source.c_str());
    std::printf("  %-42s %-10s %s\n", "vectors: segments in one operation",
                std::to_string(iov::most_direct_segments).c_str(), "this library");
    std::printf("  %-42s %-10s %s\n", "strided: segments joined, up to bytes",
                std::to_string(gmr::rma::most_joined_bytes).c_str(), "this library");
}

// The models that would be gone by, or why none are.
void print_cost_models(const Settings& now)
{
    const std::string& path = now.tune_file;
    std::printf("\ncost models\n");
    if (path.empty()) {
        std::printf("  none: ARMCI_TUNE_FILE is not set; methods are chosen as said above\n");
        return;
    }
    std::string problem;
    const std::optional<cost::Tune> tune = cost::read_ours(path, problem);
    if (!tune) {
        std::printf("  none: ARMCI_TUNE_FILE is '%s': %s\n", path.c_str(), problem.c_str());
        return;
    }
    std::printf("  %s, %s; %zu models to choose by, %zu others\n"
                "  microseconds = a + b * bytes + c * segments\n",
                path.c_str(), tune->place.empty() ? "no place" : tune->place.c_str(), tune->models.size(),
                tune->others);
    for (const cost::Model& m : tune->models) {
        const std::string end = m.to == UINT64_MAX ? "" : " to " + size_text(static_cast<std::int64_t>(m.to));
        std::printf("  %-8s %-4s %-9s %-8s from %s%s bytes%s: %.6g, %.6g, %.6g\n", cost::name_of(m.call),
                    cost::name_of(m.operation), cost::name_of(m.method), cost::name_of(m.path),
                    size_text(static_cast<std::int64_t>(m.from)).c_str(), end.c_str(),
                    m.by_segment ? " a segment" : "", m.a, m.b, m.c);
    }
}

void print_settings(const Settings& now)
{
    std::printf("\nsettings (environment variables)\n");
    for (const settings::Row& row : settings::table()) {
        if (row.type == settings::Type::accepted)
            continue;
        std::printf("  %-20s = %-8s default %s; %s\n", row.name, settings::value_text(row, now).c_str(),
                    *row.default_text == '\0' ? "none" : row.default_text, values(row).c_str());
        std::printf("  %-20s   %s\n", "", row.text);
    }
    std::printf("\naccepted for other ARMCI libraries' sake, without effect\n");
    for (const settings::Row& row : settings::table())
        if (row.type == settings::Type::accepted)
            std::printf("  %-28s %s\n", row.name, row.text);
}

void print_size(const char* what, std::uint64_t bytes)
{
    std::printf("  %-38s %" PRIu64 " MiB\n", what, bytes >> 20);
}

int show_node(bool speaks)
{
    StartRequest request;
    request.call = "armci_info";
    if (const int error = start(request))
        return error;
    if (!speaks)
        return stop("armci_info");
    Runtime& runtime = running_or_end("armci_info");
    gmr::GlobalMemory& memory = runtime.memory();
    const gmr::Arena& arena = memory.arena();
    std::printf("\nthis node, as one process of it sees it\n");
    std::printf("  %-38s %d (on %d node)\n", "processes in this job", runtime.processes(),
                runtime.topology().nodes());
    std::printf("  %-38s %s\n", "shared memory under the arena", arena.backing());
    std::printf("  %-38s %p\n", "global memory starts at", static_cast<void*>(arena.slice(0)));
    print_size("address range per process", arena.span());
    print_size("longest allocation in it", memory.heap().longest(gmr::Area::symmetric));
    // More than there can be: the refusal says how much there is.
    constexpr std::uint64_t too_much = std::uint64_t{1} << 62;
    std::uint64_t available = 0;
    if (memory.budget().take(too_much, available)) {
        memory.budget().give_back(too_much);
        std::printf("  %-38s not checked (ARMCI_MEMORY_CHECK=0)\n", "memory for allocations");
    } else {
        print_size("memory for allocations", available);
    }
    std::printf("  %-38s sums %s, copies of %zu bytes and more %s\n", "instructions on the node",
                gmr::kernels::name_of(gmr::kernels::in_use()), gmr::kernels::long_copy_bytes,
                gmr::kernels::in_use_for_long_copies() == gmr::kernels::InstructionSet::portable
                    ? "libc's"
                    : gmr::kernels::name_of(gmr::kernels::in_use_for_long_copies()));
    std::printf("  %-38s %s\n", "accumulates and read-modify-writes", memory.atomics());
    std::printf("  %-38s %s\n", "answers while computing",
                running_or_end("armci_info").service().description().c_str());
    std::printf("  %-38s %d rounds\n", "a wait spins before it yields", wait::spin_rounds());
    return stop("armci_info");
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view option = argc > 1 ? argv[1] : "";
    if (argc > 2 || (argc == 2 && option != "--markdown" && option != "--node" && option != "--selftest")) {
        const bool asked = argc == 2 && option == "--help";
        std::fputs(usage, asked ? stdout : stderr);
        return asked ? 0 : 2;
    }
    if (option == "--markdown") {
        print_markdown();
        return 0;
    }
    MPI_Init(&argc, &argv);
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (option == "--selftest") {
        const int error = tools::selftest();
        MPI_Finalize();
        return error;
    }
    const Settings now = settings::agreed(MPI_COMM_WORLD, true);
    look_at_mpi();
    if (me != 0) { // one speaks for all
        const int error = option == "--node" ? show_node(false) : 0;
        MPI_Finalize();
        return error;
    }
    print_build();
    print_traits();
    print_cost_models(now);
    print_settings(now);
    std::fflush(stdout);
    const int error = option == "--node" ? show_node(true) : 0;
    MPI_Finalize();
    return error;
}
