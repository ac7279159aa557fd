// Long, as all settings are rows of one table.
#include "armci/base/settings.hpp"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace armci::settings {
namespace {

constexpr std::int64_t unbounded = INT64_MAX;

template <auto Member>
void store(Settings& settings, std::int64_t value)
{
    settings.*Member = static_cast<std::remove_reference_t<decltype(settings.*Member)>>(value);
}

template <auto Member>
std::int64_t load(const Settings& settings)
{
    return static_cast<std::int64_t>(settings.*Member);
}

template <auto Member>
constexpr Row row(const char* name, Type type, const char* default_text, std::int64_t least,
                  std::int64_t most, const char* choices, const char* text)
{
    return {name, type, default_text, least, most, choices, text, store<Member>, load<Member>};
}

constexpr Row path(const char* name, std::string Settings::*member, const char* text)
{
    return {name, Type::path, "", 0, 0, "", text, nullptr, nullptr, member};
}

constexpr Row report(const char* name, std::string Settings::*member, const char* text)
{
    return {name, Type::report, "0", 0, 0, "", text, nullptr, nullptr, member};
}

// Names that other ARMCI libraries read and that mean nothing here: known, so that nobody is warned about
// them.
constexpr Row accepted(const char* name, const char* why)
{
    return {name, Type::accepted, "", 0, 0, "", why, nullptr, nullptr};
}

constexpr std::array rows{
    row<&Settings::verbose>("ARMCI_VERBOSE", Type::boolean, "0", 0, 1, "",
                            "Say at start-up what was found and chosen: MPI, node, arena, settings."),
    report("ARMCI_STATS", &Settings::stats,
           "Count operations, their bytes and times by path, waits, and traffic by region and pair of "
           "processes; "
           "print the sums at ARMCI_Finalize, or write them to a file."),
    path("ARMCI_TRACE", &Settings::trace,
         "File for a timeline of operations and waits, one track for each process, which Perfetto "
         "(ui.perfetto.dev) opens. Process 0 writes it at ARMCI_Finalize."),
    row<&Settings::trace_events>("ARMCI_TRACE_EVENTS", Type::integer, "100000", 1, 100000000, "",
                                 "Events that the timeline keeps of each process: the latest."),
    row<&Settings::check>(
        "ARMCI_CHECK", Type::boolean, "0", 0, 1, "",
        "Look for mistakes of the program, slowly: accesses of two processes that nothing orders, "
        "buffers used before they are waited for, handles never waited for, collective calls that "
        "differ, regions never freed. Results stay the same."),
    row<&Settings::errors>(
        "ARMCI_ERRORS", Type::choice, "abort", 0, 0, "abort|return",
        "What a wrong call does after its message: end the job, or return a non-zero code."),
    row<&Settings::arena_size>(
        "ARMCI_ARENA_SIZE", Type::bytes, "0", 0, std::int64_t{1} << 45, "",
        "Address range per process for global memory; 0 derives it from the node's memory. "
        "It costs address space, not memory."),
    row<&Settings::arena_backing>(
        "ARMCI_ARENA_BACKING", Type::choice, "auto", 0, 0, "auto|memfd|shm",
        "Kind of shared memory under global memory; auto tries memfd, then POSIX shm that "
        "is unlinked at once."),
    row<&Settings::memory_limit>(
        "ARMCI_MEMORY_LIMIT", Type::bytes, "0", 0, unbounded, "",
        "Most global memory per process (times the processes of a node, shared by them); "
        "0 means what the node has. ARMCI_Set_shm_limit sets the same."),
    row<&Settings::memory_check>("ARMCI_MEMORY_CHECK", Type::boolean, "1", 0, 1, "",
                                 "Check that the node has the memory before an allocation is handed out."),
    row<&Settings::node_size>(
        "ARMCI_NODE_SIZE", Type::integer, "0", 0, 1 << 20, "",
        "Treat at most this many processes as one node, so that the network path runs on one "
        "machine; 0 takes nodes as they are."),
    row<&Settings::transport>(
        "ARMCI_TRANSPORT", Type::choice, "auto", 0, 0, "auto|messages|mpi",
        "What operations between nodes go by: messages of the library's own over TCP, which the target's "
        "node "
        "carries out by CPU whether its program computes or not; or MPI's one-sided operations. auto takes "
        "messages where MPI's own connections are TCP's. ARMCI_FORCE_MPI, ARMCI_WINDOW, ARMCI_EPOCHS, "
        "ARMCI_ATOMICS_POLICY and ARMCI_PROGRESS_THREAD, set to other than their defaults, ask for mpi; "
        "ARMCI_STRIDED_METHOD, ARMCI_IOV_METHOD, ARMCI_TUNE_FILE and ARMCI_ORDERING say how mpi does it."),
    row<&Settings::force_mpi>(
        "ARMCI_FORCE_MPI", Type::boolean, "0", 0, 1, "",
        "Send every operation through MPI, those on the own node too. For study and tests."),
    row<&Settings::window>(
        "ARMCI_WINDOW", Type::choice, "pooled", 0, 0, "pooled|create|allocate|shared|dynamic",
        "MPI windows of jobs on several nodes: few that cover the arena, or one for each allocation "
        "(while MPI makes more) by MPI_Win_create, MPI_Win_allocate or MPI_Win_allocate_shared, or a dynamic "
        "one with attached memory. For study and as fallbacks."),
    row<&Settings::epochs>(
        "ARMCI_EPOCHS", Type::choice, "lock_all", 0, 0, "lock_all|shared|exclusive",
        "Access epochs: one for the life of a window with flushes, or a shared or exclusive lock "
        "around each operation. For study and as fallbacks."),
    row<&Settings::ordering>(
        "ARMCI_ORDERING", Type::choice, "auto", 0, 0, "auto|accumulate|flush",
        "What orders my puts and gets on one target over the network: MPI's ordered accumulates, "
        "or flushes where they may meet; auto takes the former unless MPI_Put is much faster."),
    row<&Settings::strided_method>(
        "ARMCI_STRIDED_METHOD", Type::choice, "auto", 0, 0, "auto|iov|direct|packed|segments|spans",
        "How a strided call goes over the network. iov: as the vector call of its segments. direct: as "
        "one operation of derived types. packed: the same from packed sources, piece by piece. segments: "
        "as one operation for each segment. spans: as segments, but one get for all that are near one "
        "another. auto: what was measured best."),
    row<&Settings::iov_method>(
        "ARMCI_IOV_METHOD", Type::choice, "auto", 0, 0, "auto|consrv|batched|direct",
        "How the segments of a vector call go over the network. consrv: each by itself, complete before "
        "the next. batched: many under way at once. direct: joined by derived types. auto: the best that "
        "the segments allow. Where they overlap or lie in several windows, each goes by itself."),
    row<&Settings::iov_batched_limit>(
        "ARMCI_IOV_BATCHED_LIMIT", Type::integer, "0", 0, INT32_MAX, "",
        "Segments of a batch, after which a blocking vector call waits for their completion here; 0 is all."),
    row<&Settings::iov_checks>(
        "ARMCI_IOV_CHECKS", Type::boolean, "0", 0, 1, "",
        "Refuse vector calls whose segments overlap or lie in several windows, where ARMCI_IOV_METHOD is "
        "batched or direct; otherwise these go by consrv."),
    path("ARMCI_TUNE_FILE", &Settings::tune_file,
         "Cost models fitted on this machine (benchmarks/driver/models.py): where methods are auto, strided "
         "and vector calls take the one of least predicted time. Process 0 reads it. A file that is not "
         "there, or of another MPI, gets one warning and is not used."),
    row<&Settings::kernels>("ARMCI_KERNELS", Type::choice, "auto", 0, 0, "auto|portable|avx2|avx512",
                            "Vector instructions that copies and sums on the node use; auto takes what was "
                            "measured best of what the processor has. The results are the same."),
    row<&Settings::mutex_method>(
        "ARMCI_MUTEX_METHOD", Type::choice, "auto", 0, 0, "auto|queueing|mcs|node|hybrid",
        "Algorithm of mutexes. queueing: a byte vector in an exclusive epoch (MPI-2). mcs: the queue of "
        "Mellor-Crummey and Scott by MPI's atomics. node: a ticket lock in the memory of one node. "
        "hybrid: tickets on each node, and a queue between nodes. auto: node within one node; between "
        "nodes hybrid, or mcs where no node has several processes."),
    row<&Settings::mutex_policy>(
        "ARMCI_MUTEX_POLICY", Type::choice, "pattern", 0, 0, "fixed-cpu|fixed-network|pattern|history",
        "When a hybrid mutex leaves the network for the CPUs of its owner's node. fixed-cpu: at each "
        "unlock. fixed-network: never. pattern: when no process waits in the network. history: when the "
        "owner's node came several times in a row."),
    row<&Settings::atomics_policy>(
        "ARMCI_ATOMICS_POLICY", Type::choice, "auto", 0, 0,
        "auto|turns|fixed-cpu|fixed-network|pattern|history",
        "Who carries out accumulates and read-modify-writes in jobs of several nodes whose operations go "
        "by MPI (ARMCI_TRANSPORT). turns: MPI for other nodes, and the CPU for the node's own processes "
        "while the target is outside of MPI. fixed-network: MPI for all. fixed-cpu, pattern, history: the "
        "CPU, until another node's process comes. The CPU returns after the next barrier of the world "
        "(fixed-cpu); after a later one, if few of the node's own came (pattern) or if others come in "
        "each epoch (history). auto: turns where MPI carries out each operation in one of the target's "
        "calls, else pattern."),
    row<&Settings::chunk_size>(
        "ARMCI_CHUNK_SIZE", Type::bytes, "67108864", std::int64_t{1} << 16, std::int64_t{1} << 40, "",
        "Bytes per process that the first pooled window covers; later ones double what there is, but where "
        "MPI takes the memory of a window at once."),
    row<&Settings::probe>(
        "ARMCI_PROBE", Type::boolean, "1", 0, 1, "",
        "Where operations go by MPI between nodes, ask it at start-up for what some libraries get wrong, and "
        "avoid what fails."),
    row<&Settings::start_timeout>(
        "ARMCI_START_TIMEOUT", Type::integer, "60", 0, 86400, "",
        "Where operations go by MPI between nodes, seconds after which a start that MPI "
        "does not answer ends the job with a message; 0 waits for ever. Where N "
        "processes share a core it is N times as long."),
    row<&Settings::watch_links>(
        "ARMCI_WATCH_LINKS", Type::boolean, "1", 0, 1, "",
        "On several hosts, watch MPI's TCP connections for a host that no longer answers, and end "
        "the job with a message when the system gives one up."),
    row<&Settings::progress_thread>("ARMCI_PROGRESS_THREAD", Type::boolean, "1", 0, 1, "",
                                    "On several nodes, let a thread answer other nodes while the program "
                                    "computes. The thread sleeps while no process asks. 0 leaves it out, and "
                                    "operations go by MPI over TCP, too."),
    row<&Settings::spin>(
        "ARMCI_SPIN", Type::integer, "-1", -1, 1000000, "",
        "Rounds that a wait spins before it yields the core; -1 chooses by ranks and cores."),
    accepted("ARMCI_SHR_BUF_METHOD", "Origin buffers may always be global memory here."),
    accepted("ARMCI_NONCOLLECTIVE_GROUPS", "Groups here may always be created by their members alone."),
    accepted("ARMCI_USE_WIN_ALLOCATE", "See ARMCI_WINDOW."),
    accepted("ARMCI_PROGRESS_USLEEP", "The thread of ARMCI_PROGRESS_THREAD finds its pauses by itself."),
    accepted("ARMCI_EXPLICIT_NB_PROGRESS", "A process that waits lets MPI progress here."),
    accepted("ARMCI_USE_ALLOC_SHM", "Global memory of a node is always shared here."),
    accepted("ARMCI_RMA_ATOMICITY", "Puts and gets are ordered here; see ARMCI_ORDERING."),
    accepted("ARMCI_FLUSH_BARRIERS", "Barriers here always complete what is pending."),
    accepted("ARMCI_DEFAULT_SHMMAX", "Global memory here has no segment limit; see ARMCI_MEMORY_LIMIT."),
    accepted("ARMCI_NETWORK", "Builds of Global Arrays and NWChem choose a runtime of theirs by it."),
    accepted("ARMCI_DEBUG_ALLOC", "Out-of-bounds calls are always found here."),
};

std::optional<std::int64_t> parse_boolean(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const char* yes : {"1", "yes", "y", "true", "t", "on"})
        if (lower == yes)
            return 1;
    for (const char* no : {"0", "no", "n", "false", "f", "off"})
        if (lower == no)
            return 0;
    return std::nullopt;
}

// A whole number, for sizes with an optional binary suffix K, M, G or T.
std::optional<std::int64_t> parse_number(const char* text, bool suffix_allowed)
{
    char* end = nullptr;
    errno = 0;
    const long long number = std::strtoll(text, &end, 10);
    if (end == text || errno != 0)
        return std::nullopt;
    int shift = 0;
    if (suffix_allowed && *end != '\0') {
        static constexpr std::string_view suffixes = "KMGT";
        const auto found = suffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
        if (found == std::string_view::npos)
            return std::nullopt;
        shift = 10 * (static_cast<int>(found) + 1);
        ++end;
        if (*end == 'i')
            ++end;
        if (*end == 'B' || *end == 'b')
            ++end;
    }
    if (*end != '\0' || number > (INT64_MAX >> shift) || number < (INT64_MIN >> shift))
        return std::nullopt;
    return static_cast<std::int64_t>(number) * (std::int64_t{1} << shift);
}

std::vector<std::string> split_choices(const char* choices)
{
    std::vector<std::string> result;
    for (std::string_view rest = choices; !rest.empty();) {
        const auto bar = rest.find('|');
        result.emplace_back(rest.substr(0, bar));
        rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 1);
    }
    return result;
}

std::optional<std::int64_t> parse(const Row& row, const char* text)
{
    std::optional<std::int64_t> value;
    switch (row.type) {
    case Type::boolean:
        return parse_boolean(text);
    case Type::choice: {
        const auto choices = split_choices(row.choices);
        const auto found = std::find_if(choices.begin(), choices.end(), [&](const std::string& one) {
            return strcasecmp(one.c_str(), text) == 0;
        });
        if (found == choices.end())
            return std::nullopt;
        return found - choices.begin();
    }
    case Type::integer:
        value = parse_number(text, false);
        break;
    case Type::bytes:
        value = parse_number(text, true);
        break;
    case Type::path:
    case Type::report:
    case Type::accepted:
        return std::nullopt;
    }
    if (value && (*value < row.least || *value > row.most))
        return std::nullopt;
    return value;
}

// Whether the report is for nowhere (empty), for the eye, or for a file.
std::optional<std::string> parse_report(std::string_view text)
{
    if (const std::optional<std::int64_t> printed = parse_boolean(text))
        return *printed != 0 ? report_printed : "";
    if (text.ends_with(".json"))
        return std::string(text);
    return std::nullopt;
}

// False if the text is no value for the row.
bool take(const Row& row, const char* text, Settings& settings)
{
    if (row.type == Type::path) {
        settings.*row.path = text;
        return true;
    }
    if (row.type == Type::report) {
        const std::optional<std::string> report = parse_report(text);
        if (report)
            settings.*row.path = *report;
        return report.has_value();
    }
    const std::optional<std::int64_t> value = parse(row, text);
    if (value)
        row.store(settings, *value);
    return value.has_value();
}

std::string expectation(const Row& row)
{
    switch (row.type) {
    case Type::boolean:
        return "0 or 1";
    case Type::choice:
        return std::string("one of ") + row.choices;
    case Type::report:
        return "0, 1 or a file name that ends with .json";
    case Type::path:
    case Type::accepted:
        return "";
    default:
        break;
    }
    std::string text = row.type == Type::bytes ? "a number of bytes (K, M, G, T allowed)" : "a whole number";
    text += " from " + std::to_string(row.least);
    if (row.most != unbounded)
        text += " to " + std::to_string(row.most);
    return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> line(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        line[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(line[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = line[j];
            line[j] = std::min({replace, line[j] + 1, line[j - 1] + 1});
        }
    }
    return line[b.size()];
}

// " of process 3", where the variable is not of the process that reads.
std::string owner(const Variable& variable)
{
    return variable.process < 0 ? "" : " of process " + std::to_string(variable.process);
}

void complain_about_unknown_name(const Variable& variable)
{
    const auto nearest = std::min_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        return edit_distance(variable.name, a.name) < edit_distance(variable.name, b.name);
    });
    diag::warn("unknown setting %s%s; the nearest known one is %s (armci_info lists all)",
               variable.name.c_str(), owner(variable).c_str(), nearest->name);
}

// Calls that come before ARMCI_Init are wrong, and ARMCI_ERRORS says what they do.
[[maybe_unused]] const bool policy_known = (diag::set_policy(from_environment(false).errors), true);

} // namespace

std::span<const Row> table()
{
    return rows;
}

const Row* row_of(std::string_view name)
{
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return name == row.name; });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<Variable> variables()
{
    std::vector<Variable> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        if (equals == std::string_view::npos || !name.starts_with("ARMCI_"))
            continue;
        if (const Row* const row = row_of(name); row != nullptr && row->type == Type::accepted)
            continue;
        result.push_back({std::string(name), std::string(text.substr(equals + 1))});
    }
    // Of two of one name the first counts, as for getenv.
    const auto before = [](const Variable& a, const Variable& b) { return a.name < b.name; };
    const auto same = [](const Variable& a, const Variable& b) { return a.name == b.name; };
    std::stable_sort(result.begin(), result.end(), before);
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
}

Settings from(const std::vector<Variable>& variables, bool complain)
{
    Settings result;
    for (const Variable& variable : variables) {
        const Row* const row = row_of(variable.name);
        if (row == nullptr) {
            if (complain)
                complain_about_unknown_name(variable);
        } else if (row->type != Type::accepted && !take(*row, variable.text.c_str(), result) && complain) {
            diag::warn("%s%s is '%s'; it must be %s; the default %s is used", row->name,
                       owner(variable).c_str(), variable.text.c_str(), expectation(*row).c_str(),
                       row->default_text);
        }
    }
    return result;
}

Settings from_environment(bool complain)
{
    return from(variables(), complain);
}

std::string value_text(const Row& row, const Settings& settings)
{
    if (row.type == Type::report && (settings.*row.path).empty())
        return "0";
    if (row.type == Type::path || row.type == Type::report)
        return settings.*row.path;
    if (row.load == nullptr)
        return "";
    const std::int64_t value = row.load(settings);
    if (row.type == Type::choice)
        return split_choices(row.choices).at(static_cast<std::size_t>(value));
    return std::to_string(value);
}

} // namespace armci::settings
