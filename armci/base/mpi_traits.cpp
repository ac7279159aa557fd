#include "armci/base/mpi_traits.hpp"

#include "armci/base/mpi.hpp"
#include "armci/base/mpi_setup.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace armci::traits {

Traits in_use;

namespace {

constexpr const char* names[] = {"unknown", "pt2pt", "rdma", "ucx", "sm", "MPICH"};

std::string library_version()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    return text;
}

// The version behind these words in the library's, as one number, 400200 for 4.0.2; 0 where they are not
// there.
int version_behind(const std::string& words)
{
    const std::string text = library_version();
    const std::size_t found = text.find(words);
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (found == std::string::npos ||
        std::sscanf(text.c_str() + found + words.size(), "%d.%d.%d", &major, &minor, &patch) < 2)
        return 0;
    return major * 100000 + minor * 10000 + patch * 100;
}

// MPICH's; 0 for another library.
int mpich_version()
{
    return version_behind("MPICH Version:");
}

// Cray's library tells it in brackets: "CRAY MPICH version 8.1.32.110 (ANL base 3.4a2)".
int mpich_version_that_cray_built_on()
{
    return version_behind("ANL base ");
}

bool is_open_mpi()
{
    return library_version().starts_with("Open MPI");
}

// Network modules whose atomic operations are messages to the target: ch3's, and UCX's of ch4. That of
// libfabric may leave them to the hardware.
bool mpich_adds_at_target()
{
    const std::string text = library_version();
    return text.find("ch3:") != std::string::npos || text.find("ch4:ucx") != std::string::npos;
}

bool is_mpich_over_libfabric()
{
    return library_version().find("ch4:ofi") != std::string::npos;
}

int open_mpi_major()
{
    int major = 0;
    return std::sscanf(library_version().c_str(), "Open MPI v%d", &major) == 1 ? major : 0;
}

// Open MPI names a window by its component and a number, "pt2pt window 3".
Component component_of(MPI_Win window)
{
    if (mpich_version() != 0)
        return Component::mpich;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    mpi::check(MPI_Win_get_name(window, name, &length), "MPI_Win_get_name");
    const std::string_view text(name);
    if (is_open_mpi())
        for (const Component one : {Component::openmpi_pt2pt, Component::openmpi_rdma, Component::openmpi_ucx,
                                    Component::openmpi_sm})
            if (text.starts_with(std::string(name_of(one)) + " "))
                return one;
    return Component::unknown;
}

bool receives_differ = false;

bool one_receive_is_set()
{
    if (receives_differ)
        return false;
    const char* const value = std::getenv("OMPI_MCA_osc_pt2pt_receive_count");
    return value != nullptr && std::string_view(value) == "1";
}

// The table, whole, so that one sees what each component does. Facts and figures: docs/mpi-facts.md.
Traits traits_of(Component component)
{
    Traits traits;
    traits.component = component;
    switch (component) {
    case Component::openmpi_pt2pt:
        // While one accumulate has the target, others wait, and later ones of their origin overtake them.
        traits.keeps_accumulates_in_order = false;
        // What fits its 8 KiB fragments is carried out when they arrive, in order with one receive.
        traits.ordered_put_bytes = one_receive_is_set() ? 4096 : 0;
        // It makes the target's type anew there for each operation, and never frees it.
        traits.derived_types = false;
        traits.written_blocks = 1024;
        traits.types_reach_several_attached = true;
        // A local flush waits for what lies unsent for other ranks, and does not send it.
        traits.flush_local_may_hang = true;
        traits.compare_and_swap_may_hang = true;
        // A flush asks the target, which answers; the question goes into the fragment that waits for more.
        traits.flushes_take_turns = true;
        traits.flushes_take_data_along = true;
        // A fetch-and-op sends the old value in one call, and stores the new one when that is sent.
        traits.target_adds = true;
        // What does not fit a fragment but its transport's eager messages.
        traits.replacing_above = 8000;
        traits.replacing_below = 64 * 1024;
        // What does not fit eager messages comes slower with a request, for whatever reason.
        traits.get_request_bytes = 64 * 1024;
        // The target takes a buffer for each, and more of them than malloc keeps (quirks::keep_freed_memory)
        // are mapped and faulted in each time: 16 of 1 MiB took 620 us each at once, 290 us four at a time.
        traits.accumulated_bytes = 4 << 20;
        traits.most_windows = 1 << 16;
        traits.windows_with_threads = false;
        break;
    case Component::openmpi_rdma:
        traits.threads_take_turns = open_mpi_major() >= 6; // 6.0.0rc2
        traits.adds_at_origin = true;
        [[fallthrough]];
    case Component::openmpi_sm:
        traits.derived_types = true;
        traits.types_are_one_message = component == Component::openmpi_sm;
        traits.written_blocks = 1024;
        // osc/rdma wants one attached piece to hold all from the first to the last byte.
        traits.types_reach_several_attached = component == Component::openmpi_sm;
        traits.flush_local_may_hang = false;
        traits.get_request_bytes = UINT64_MAX;
        traits.most_windows = 1 << 16;
        break;
    case Component::openmpi_ucx:
        traits.threads_take_turns = true; // seen with 5.0
        // Accumulates of derived types crash or lose updates (ompi 14175, 14181).
        traits.derived_types = false;
        traits.adds_at_origin = true;
        traits.takes_single_atomics = true; // 5; 4.1 does not know the key
        traits.probes_seldom_reach_windows = true;
        traits.windows_want_company = true;
        traits.locks_all_by_messages = true;
        // ompi 14192: the 255th ends the job (5.0). An operation may add 64 before it is looked at.
        traits.most_requests = 96;
        traits.flush_local_may_hang = false;
        traits.most_windows = 1 << 16;
        break;
    case Component::mpich:
        traits.keeps_accumulates_in_order = true;
        traits.derived_types = true;
        traits.types_are_one_message = true;
        // mpich 7886: from 4.2 on, over UCX, the description of the target's blocks must fit the header of
        // the message, of which InfiniBand takes 3,963 bytes: 424 and 16 for each block.
        traits.written_blocks = mpich_version() >= 420000 ? 192 : 1024;
        traits.types_reach_several_attached = true;
        traits.flush_local_may_hang = false;
        traits.accumulates_are_acknowledged = true;
        traits.target_adds = traits.target_fetches = mpich_adds_at_target();
        traits.fetches_by_request = true;
        // Each accumulate is copied through buffers of its own.
        traits.piece_bytes = 1 << 20;
        traits.piece_bytes_alone = 512 << 10;
        traits.get_request_bytes = UINT64_MAX;
        // A request waits for the target's acknowledgement, as flushes do, with less work.
        traits.accumulate_request_bytes = 512 << 10;
        traits.locks_all_by_messages = true;
        // libfabric's module registers memory for each accumulate of more than 16 KiB that is under way.
        if (is_mpich_over_libfabric())
            traits.accumulated_bytes = 4 << 20;
        // A process has 2,048 communicators, and each window takes one.
        traits.most_windows = 512;
        break;
    case Component::unknown:
        break;
    }
    return traits;
}

// What holds for both.
Traits weaker(const Traits& one, const Traits& other)
{
    Traits both = one;
    both.component = Component::unknown;
    const auto least = [&](auto member) { both.*member = std::min(one.*member, other.*member); };
    const auto most = [&](auto member) { both.*member = std::max(one.*member, other.*member); };
    least(&Traits::keeps_accumulates_in_order);
    least(&Traits::ordered_put_bytes);
    least(&Traits::derived_types);
    least(&Traits::types_are_one_message);
    least(&Traits::written_blocks);
    least(&Traits::types_reach_several_attached);
    most(&Traits::flush_local_may_hang);
    least(&Traits::flushes_take_turns);
    least(&Traits::flushes_take_data_along);
    least(&Traits::accumulates_are_acknowledged);
    least(&Traits::target_adds);
    least(&Traits::target_fetches);
    least(&Traits::adds_at_origin);
    least(&Traits::takes_single_atomics);
    most(&Traits::compare_and_swap_may_hang);
    least(&Traits::fetches_by_request);
    least(&Traits::piece_bytes);
    least(&Traits::piece_bytes_alone);
    most(&Traits::replacing_above);
    least(&Traits::replacing_below);
    least(&Traits::get_request_bytes);
    least(&Traits::accumulate_request_bytes);
    least(&Traits::accumulated_bytes);
    most(&Traits::locks_all_by_messages);
    most(&Traits::probes_seldom_reach_windows);
    most(&Traits::windows_want_company);
    least(&Traits::most_requests);
    least(&Traits::most_windows);
    least(&Traits::windows_with_threads);
    most(&Traits::threads_take_turns);
    return both;
}

bool has_looked = false;

bool may_have_threads()
{
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

std::string text_of(bool value)
{
    return value ? "yes" : "no";
}
std::string text_of(std::uint64_t value)
{
    return value >= SIZE_MAX ? "any" : std::to_string(value);
}

} // namespace

const char* name_of(Component component)
{
    return names[static_cast<int>(component)];
}

bool may_want_company()
{
    return is_open_mpi();
}

Traits look_at(MPI_Win window)
{
    const Traits its = traits_of(component_of(window));
    if (has_looked && its.component == Component::openmpi_sm)
        return its; // one node's: plain loads and stores
    if (!has_looked)
        in_use = its;
    else if (its.component != in_use.component)
        in_use = weaker(in_use, its);
    if (!may_have_threads())
        in_use.threads_take_turns = false;
    has_looked = true;
    return its;
}

void expect_other_receives_elsewhere()
{
    receives_differ = true;
}

bool allocates_windows()
{
    const int version = std::max(mpich_version(), mpich_version_that_cray_built_on());
    return version == 0 || version >= 400300;
}

std::vector<Row> rows()
{
    const Traits& now = in_use;
    const std::string component = has_looked ? std::string("component ") + name_of(now.component)
                                             : "no window yet: what holds everywhere";
    const std::string version = now.component == Component::mpich ? component + ", version" : component;
    const std::string device = now.component == Component::mpich ? component + ", device" : component;
    const char* const seen_by =
        now.component == Component::mpich ? "the library's version" : "the name of a window";
    return {
        {"one-sided component", name_of(now.component), has_looked ? seen_by : component},
        {"components that this library left",
         setup::osc_set_here() != nullptr ? setup::osc_set_here() : "all",
         "OMPI_MCA_osc, set at load where nobody had"},
        {"accumulates stay in order", text_of(now.keeps_accumulates_in_order), component},
        {"puts that stay in order, bytes", text_of(now.ordered_put_bytes), component + ", its receives"},
        {"derived types", text_of(now.derived_types), component},
        {"derived types are one message", text_of(now.types_are_one_message), component},
        {"blocks of one put or accumulate", text_of(std::uint64_t{now.written_blocks}), version},
        {"a type may span attached pieces", text_of(now.types_reach_several_attached), component},
        {"local flush may hang", text_of(now.flush_local_may_hang), component},
        {"flushes take turns", text_of(now.flushes_take_turns), component},
        {"flushes take data along", text_of(now.flushes_take_data_along), component},
        {"accumulates are acknowledged", text_of(now.accumulates_are_acknowledged), component},
        {"accumulates are added by the target", text_of(now.target_adds), device},
        {"fetch-and-ops are one step of the target", text_of(now.target_fetches), device},
        {"accumulates are added at the origin", text_of(now.adds_at_origin), component},
        {"atomics without a lock of MPI's", text_of(now.takes_single_atomics), component},
        {"compare-and-swap may hang", text_of(now.compare_and_swap_may_hang), component},
        {"fetch-and-ops by a request", text_of(now.fetches_by_request), component},
        {"long accumulates in pieces, bytes", text_of(now.piece_bytes), component},
        {"and those that go alone", text_of(now.piece_bytes_alone), component},
        {"puts that replace, from bytes", text_of(now.replacing_above), component},
        {"to bytes", text_of(now.replacing_below), component},
        {"blocking gets by a request, bytes", text_of(now.get_request_bytes), component},
        {"blocking accumulates by a request, bytes", text_of(now.accumulate_request_bytes), component},
        {"accumulates under way, bytes", text_of(now.accumulated_bytes), component},
        {"lock_all sends messages", text_of(now.locks_all_by_messages), component},
        {"probes seldom reach windows", text_of(now.probes_seldom_reach_windows), component},
        {"requests outstanding", text_of(std::uint64_t{now.most_requests}), component},
        {"each process keeps a window", text_of(now.windows_want_company), component},
        {"windows", text_of(static_cast<std::uint64_t>(now.most_windows)), component},
        {"windows with MPI_THREAD_MULTIPLE", text_of(now.windows_with_threads), component},
        {"threads take turns in all windows", text_of(now.threads_take_turns),
         component + ", version, level of threads"},
    };
}

} // namespace armci::traits
