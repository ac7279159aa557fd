#include "armci/base/agreed_settings.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/same_on_all.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>

namespace armci::settings {
namespace {

// Of names that a program made up for each process, as many as are worth a warning.
constexpr std::ptrdiff_t most_unknown = 8;

#if defined(OPEN_MPI)
constexpr const char* how_to_hand_on = "mpirun -x";
#else
constexpr const char* how_to_hand_on = "mpirun -genvlist";
#endif

struct Place {
    MPI_Comm world;
    int me;
    int processes;
};

std::string broadcast(std::string text, int root, const Place& place)
{
    int length = static_cast<int>(text.size());
    mpi::broadcast(&length, sizeof length, root, place.world);
    text.resize(static_cast<std::size_t>(length));
    mpi::broadcast(text.data(), length, root, place.world);
    return text;
}

bool has(const std::vector<Variable>& variables, const std::string& name)
{
    return std::any_of(variables.begin(), variables.end(),
                       [&](const Variable& variable) { return variable.name == name; });
}

// Each round the lowest process that has a new name tells all of its new ones.
std::vector<Variable> merge(std::vector<Variable> mine, const Place& place)
{
    std::vector<Variable> all;
    for (;;) {
        const bool enough = std::count_if(all.begin(), all.end(), [](const Variable& variable) {
                                return row_of(variable.name) == nullptr;
                            }) >= most_unknown;
        std::erase_if(mine, [&](const Variable& variable) {
            return has(all, variable.name) || (enough && row_of(variable.name) == nullptr);
        });
        int speaker = mine.empty() ? INT_MAX : place.me;
        mpi::allreduce(&speaker, 1, MPI_INT, MPI_MIN, place.world);
        if (speaker == INT_MAX)
            return all;
        for (Variable& variable : unpacked(broadcast(packed(mine), speaker, place), speaker))
            all.push_back(std::move(variable));
    }
}

// "'text'", or that there is none.
std::string shown(const std::vector<Variable>& variables, const char* name)
{
    for (const Variable& variable : variables)
        if (variable.name == name)
            return "it is '" + variable.text + "'";
    return "it is not set";
}

void warn_of_differences(const std::vector<Variable>& mine, const std::vector<Variable>& all,
                         const Place& place)
{
    const Settings own = from(mine, false);
    const Settings common = from(all, false);
    std::vector<int> count(all.size());
    std::vector<int> example(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Row* const row = row_of(all[i].name);
        count[i] = row != nullptr && value_text(*row, own) != value_text(*row, common) ? 1 : 0;
        example[i] = count[i] != 0 ? place.me : INT_MAX;
    }
    const int rows = static_cast<int>(all.size());
    mpi::allreduce(count.data(), rows, MPI_INT, MPI_SUM, place.world);
    mpi::allreduce(example.data(), rows, MPI_INT, MPI_MIN, place.world);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (count[i] == 0)
            continue;
        const char* const name = all[i].name.c_str();
        const std::string other = broadcast(shown(mine, name), example[i], place);
        if (place.me == 0)
            diag::warn("%s is '%s' for all processes, as process %d has it; %d of %d differ, such as process "
                       "%d, where %s; give all hosts the variable: %s %s",
                       name, all[i].text.c_str(), all[i].process, count[i], place.processes, example[i],
                       other.c_str(), how_to_hand_on, name);
    }
}

} // namespace

std::string packed(const std::vector<Variable>& variables)
{
    std::string text;
    for (const Variable& variable : variables)
        text.append(variable.name).append("=").append(variable.text).push_back('\0');
    return text;
}

std::vector<Variable> unpacked(std::string_view text, int process)
{
    std::vector<Variable> variables;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find('\0'));
        const std::size_t equals = one.find('=');
        variables.push_back(
            {std::string(one.substr(0, equals)), std::string(one.substr(equals + 1)), process});
        text.remove_prefix(one.size() + 1);
    }
    return variables;
}

Settings agreed(MPI_Comm world, bool complain)
{
    Place place{world, 0, 1};
    mpi::check(MPI_Comm_rank(world, &place.me), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &place.processes), "MPI_Comm_size");
    const std::vector<Variable> mine = variables();
    if (same_on_all(packed(mine), world))
        return from(mine, complain && place.me == 0);
    const std::vector<Variable> all = merge(mine, place);
    if (complain)
        warn_of_differences(mine, all, place);
    return from(all, complain && place.me == 0);
}

} // namespace armci::settings
