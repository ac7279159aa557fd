// Settings that only some processes have, one after the other: each value of each row of the table is set on
// process 0 only, then on all but process 0. The library starts, works and ends each time; no value may make
// a wait endless or a sum wrong, and each is in force on all processes.
#include "armci/base/agreed_settings.hpp"
#include "armci/base/one_component.hpp"
#include "armci/runtime.hpp"
#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armci_test {
namespace {

using armci::Settings;
using armci::settings::Row;
using armci::settings::table;
using armci::settings::Type;
using armci::settings::value_text;

constexpr unsigned patience = 20; // seconds, for one value

char step[256]; // what is tried, for the alarm
const int real_stderr = dup(STDERR_FILENO);

extern "C" void tell_step_and_leave(int)
{
    constexpr char end[] = ": no end\n";
    [[maybe_unused]] ssize_t n = write(real_stderr, step, std::strlen(step));
    n = write(real_stderr, end, sizeof end - 1);
    _exit(3);
}

// Sets a variable, or removes it, while it lives.
class Variable {
public:
    Variable(std::string name, std::optional<std::string> value) : name_(std::move(name))
    {
        if (const char* const text = std::getenv(name_.c_str()))
            before_ = text;
        put(value);
    }
    ~Variable() { put(before_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    void put(const std::optional<std::string>& value) const
    {
        if (value)
            setenv(name_.c_str(), value->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }

    std::string name_;
    std::optional<std::string> before_;
};

// What `act` prints on stderr.
std::string printed_by(const std::function<void()>& act)
{
    const int kept = dup(STDERR_FILENO);
    const int sink = memfd_create("stderr", MFD_CLOEXEC);
    dup2(sink, STDERR_FILENO);
    act();
    dup2(kept, STDERR_FILENO);
    close(kept);
    std::string text(static_cast<std::size_t>(lseek(sink, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(sink, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    close(sink);
    return text;
}

// Legal values that are not the default, as a user writes them.
std::vector<std::string> values_of(const Row& row)
{
    const std::string folder = testing::TempDir() + "settings_test." + std::to_string(seed());
    switch (row.type) {
    case Type::boolean:
        return {*row.default_text == '0' ? "1" : "0"};
    case Type::integer:
        return {std::to_string(std::stoll(row.default_text) + 1)};
    case Type::bytes:
        return {std::to_string(std::stoll(row.default_text) + (std::int64_t{64} << 20))};
    case Type::path:
        return {folder + ".path"};
    case Type::report:
        return {"1", folder + ".json"};
    case Type::choice: {
        std::vector<std::string> values;
        for (std::string rest = row.choices; !rest.empty();) {
            const std::size_t bar = std::min(rest.find('|'), rest.size());
            if (rest.substr(0, bar) != row.default_text)
                values.push_back(rest.substr(0, bar));
            rest.erase(0, bar + 1);
        }
        return values;
    }
    case Type::accepted:
        break;
    }
    return {};
}

// Puts round a ring, sums, a counter, a mutex, a barrier of messages.
void work()
{
    const int me = rank(), right = (me + 1) % size(), left = (me + size() - 1) % size();
    std::vector<void*> base(static_cast<std::size_t>(size()));
    ASSERT_EQ(ARMCI_Malloc(base.data(), 4096), 0);
    auto* const mine = static_cast<long*>(base[static_cast<std::size_t>(me)]);
    auto* const first = static_cast<long*>(base[0]);
    std::fill_n(mine, 512, 0);
    ARMCI_Barrier();

    std::vector<long> row(64, me);
    EXPECT_EQ(ARMCI_Put(row.data(), static_cast<long*>(base[static_cast<std::size_t>(right)]), 512, right),
              0);
    int stride = 128, count[] = {64, 4};
    EXPECT_EQ(ARMCI_PutS(row.data(), &stride, static_cast<long*>(base[static_cast<std::size_t>(right)]) + 64,
                         &stride, count, 1, right),
              0);
    constexpr int turns = 3;
    long one = 1, old = 0, three = 3;
    for (int i = 0; i < turns; ++i) {
        EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_LNG, &one, &three, first + 500, sizeof three, 0), 0);
        EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, first + 501, 1, 0), 0);
    }
    EXPECT_EQ(ARMCI_Create_mutexes(1), 0);
    for (int i = 0; i < turns; ++i) {
        ARMCI_Lock(0, 0);
        EXPECT_EQ(ARMCI_Get(first + 502, &old, sizeof old, 0), 0);
        ++old;
        EXPECT_EQ(ARMCI_Put(&old, first + 502, sizeof old, 0), 0);
        ARMCI_Fence(0);
        ARMCI_Unlock(0, 0);
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
    ARMCI_Barrier();
    EXPECT_EQ(mine[0], left);
    EXPECT_EQ(mine[63], left);
    EXPECT_EQ(mine[64 + 16 * 3], left);
    for (const int word : {500, 501, 502}) {
        EXPECT_EQ(ARMCI_Get(first + word, &old, sizeof old, 0), 0);
        EXPECT_EQ(old, (word == 500 ? 3 * turns : turns) * size()) << "word " << word;
    }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Free(mine), 0);
}

// All settings by name, as process 0 has them.
std::string of_first(const std::string& mine)
{
    char text[8192] = "";
    std::snprintf(text, sizeof text, "%s", mine.c_str());
    PMPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    return text;
}

void try_value(const Row& row, const std::string& value, bool on_first)
{
    std::snprintf(step, sizeof step, "%s=%s on %s", row.name, value.c_str(),
                  on_first ? "process 0 only" : "all but process 0");
    SCOPED_TRACE(step);
    alarm(patience);
    const bool has = (rank() == 0) == on_first;
    const Variable variable(row.name, has ? std::optional(value) : std::nullopt);
    Settings common;
    const std::string said = printed_by([&] { common = armci::settings::agreed(MPI_COMM_WORLD, true); });
    EXPECT_EQ(value_text(row, common), value);
    if (rank() != 0) {
        EXPECT_EQ(said, "");
    } else {
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
        for (const std::string& part :
             {std::string(row.name) + " is '" + value + "' for all processes, as process " +
                  (on_first ? "0" : "1") + " has it",
              std::to_string(on_first ? size() - 1 : 1) + " of " + std::to_string(size()) +
                  " differ, such as process " + (on_first ? "1" : "0") + ", where it is not set"})
            EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
    }
    printed_by([&] { ASSERT_EQ(ARMCI_Init(), 0); });
    std::string in_force;
    for (const Row& each : table())
        in_force += each.name + ("=" + value_text(each, armci::running_quietly()->settings())) + "\n";
    EXPECT_EQ(in_force, of_first(in_force));
    work();
    printed_by([&] { EXPECT_EQ(ARMCI_Finalize(), 0); });
    quiet_barrier();
    alarm(0);
}

TEST(SettingsOfSome, each_value_holds_for_all)
{
    std::signal(SIGALRM, tell_step_and_leave); // instead of a wait for the harness's, which knows no step
    for (const Row& row : table())
        for (const std::string& value : values_of(row))
            for (const bool on_first : {true, false}) {
                try_value(row, value, on_first);
                if (row.path != nullptr && rank() == 0)
                    unlink(value.c_str());
            }
}

std::string said_by_all()
{
    return printed_by([] { armci::settings::agreed(MPI_COMM_WORLD, true); });
}

TEST(SettingsOfSome, lowest_process_with_a_variable_counts)
{
    const Variable spin("ARMCI_SPIN", rank() == 0 ? std::nullopt : std::optional(std::to_string(rank())));
    Settings common;
    const std::string said = printed_by([&] { common = armci::settings::agreed(MPI_COMM_WORLD, true); });
    EXPECT_EQ(common.spin, 1);
    if (rank() == 0) {
        EXPECT_NE(said.find(std::to_string(size() - 1) + " of " + std::to_string(size()) + " differ"),
                  std::string::npos)
            << said;
    }
}

TEST(SettingsOfSome, equal_values_are_no_difference)
{
    // One way to write it on each process; the default on the last.
    const Variable same("ARMCI_CHUNK_SIZE", rank() == 0 ? std::optional("64M") : std::optional("67108864"));
    const Variable rest("ARMCI_MEMORY_CHECK", rank() == 0 ? std::optional("yes") : std::nullopt);
    EXPECT_EQ(said_by_all(), "");
}

TEST(SettingsOfSome, malformed_and_unknown_are_said_once)
{
    const Variable malformed("ARMCI_SPIN", rank() == 0 ? std::nullopt : std::optional("fast"));
    const Variable unknown("ARMCI_VERBOES", rank() == 0 ? std::nullopt : std::optional("1"));
    const std::string said = said_by_all();
    if (rank() != 0) {
        EXPECT_EQ(said, "");
        return;
    }
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
    EXPECT_NE(said.find("ARMCI_SPIN of process 1 is 'fast'; it must be"), std::string::npos) << said;
    EXPECT_NE(said.find("unknown setting ARMCI_VERBOES of process 1; the nearest"), std::string::npos)
        << said;
}

TEST(SettingsOfSome, names_made_up_for_each_process_are_few_warnings)
{
    std::vector<std::unique_ptr<Variable>> made;
    for (int i = 0; i < 8; ++i)
        made.push_back(std::make_unique<Variable>(
            "ARMCI_OF_" + std::to_string(rank()) + "_" + std::to_string(i), std::optional("1")));
    const Variable last("ARMCI_SPIN", rank() == size() - 1 ? std::optional("7") : std::nullopt);
    Settings common;
    const std::string said = printed_by([&] { common = armci::settings::agreed(MPI_COMM_WORLD, true); });
    EXPECT_EQ(common.spin, 7);
    EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 9) << said;
}

TEST(SettingsOfSome, packed_variables_come_back)
{
    const std::vector<armci::settings::Variable> sent = {
        {"ARMCI_A", ""}, {"ARMCI_B", "x=y"}, {"ARMCI_C", "two words"}};
    const auto back = armci::settings::unpacked(armci::settings::packed(sent), 4);
    ASSERT_EQ(back.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(back[i].name, sent[i].name);
        EXPECT_EQ(back[i].text, sent[i].text);
        EXPECT_EQ(back[i].process, 4);
    }
}

#if defined(OPEN_MPI)
TEST(SettingsOfSome, other_parameters_of_one_component)
{
    const Variable osc("OMPI_MCA_osc", rank() == 0 ? "^ucx,rdma" : "^rdma,ucx"); // after MPI has read it
    const std::string said = printed_by([] { armci::require_one_component(MPI_COMM_WORLD); });
    if (rank() != 1) {
        EXPECT_EQ(said, "");
        return;
    }
    for (const char* part : {"OMPI_MCA_osc is ^rdma,ucx here and ^ucx,rdma on process 0; ",
                             "if the start does not go on, MPI has taken different one-sided components"})
        EXPECT_NE(said.find(part), std::string::npos) << said;
}
#endif

// One process that asks for more threads than MPI bears, or for no level at all, is an error on all.
TEST(SettingsOfSome, thread_level_of_one_process)
{
    const Variable code("ARMCI_ERRORS", rank() == 0 ? std::optional("return") : std::nullopt);
    alarm(patience);
    printed_by([&] {
        for (const int wrong : {int{MPI_THREAD_MULTIPLE}, 17})
            EXPECT_NE(ARMCI_Init_thread(rank() == size() - 1 ? wrong : MPI_THREAD_SINGLE), 0);
        EXPECT_EQ(ARMCI_Init(), 0);
    });
    EXPECT_EQ(ARMCI_Put(nullptr, nullptr, 8, -1), 1); // comes back on all
    EXPECT_EQ(ARMCI_Finalize(), 0);
    alarm(0);
}

} // namespace
} // namespace armci_test
