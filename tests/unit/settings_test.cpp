#include "armci/base/settings.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace armci_test {
namespace {

using armci::ArenaBacking;
using armci::Settings;
using armci::settings::from_environment;
using armci::settings::Row;
using armci::settings::table;
using armci::settings::Type;
using armci::settings::value_text;

// No ARMCI_ variable is set when a test begins; those of before come back when it ends.
class SettingsTest : public testing::Test {
protected:
    SettingsTest()
    {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            const std::string_view text = *entry;
            if (text.starts_with("ARMCI_"))
                before_.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
        }
        for (const auto& [name, value] : before_)
            unsetenv(name.c_str());
    }
    ~SettingsTest() override
    {
        for (const std::string& name : set_)
            unsetenv(name.c_str());
        for (const auto& [name, value] : before_)
            setenv(name.c_str(), value.c_str(), 1);
    }

    void set(const std::string& name, const std::string& value)
    {
        setenv(name.c_str(), value.c_str(), 1);
        set_.insert(name);
    }
    void unset(const std::string& name) { unsetenv(name.c_str()); }

    Settings with(const std::string& name, const std::string& value)
    {
        set(name, value);
        const Settings result = from_environment(false);
        unset(name);
        return result;
    }

    // What from_environment(true) says on stderr.
    static std::string complaints()
    {
        const int kept = dup(STDERR_FILENO);
        const int sink = memfd_create("stderr", MFD_CLOEXEC);
        dup2(sink, STDERR_FILENO);
        from_environment(true);
        dup2(kept, STDERR_FILENO);
        close(kept);
        std::string text(static_cast<std::size_t>(lseek(sink, 0, SEEK_END)), '\0');
        EXPECT_EQ(pread(sink, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
        close(sink);
        return text;
    }

private:
    std::map<std::string, std::string> before_;
    std::set<std::string> set_;
};

TEST_F(SettingsTest, every_row_is_complete_and_named_once)
{
    std::set<std::string> names;
    for (const Row& row : table()) {
        EXPECT_TRUE(std::string_view(row.name).starts_with("ARMCI_")) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
        EXPECT_FALSE(std::string_view(row.text).empty()) << row.name;
        const bool is_text = row.type == Type::path || row.type == Type::report;
        const bool is_number = row.type != Type::accepted && !is_text;
        EXPECT_EQ(row.store != nullptr, is_number) << row.name;
        EXPECT_EQ(row.load != nullptr, is_number) << row.name;
        EXPECT_EQ(row.path != nullptr, is_text) << row.name;
        EXPECT_EQ(std::string_view(row.choices).empty(), row.type != Type::choice) << row.name;
    }
}

TEST_F(SettingsTest, listed_default_is_the_default)
{
    const Settings defaults;
    for (const Row& row : table())
        if (row.type != Type::accepted) {
            EXPECT_EQ(value_text(row, defaults), row.default_text) << row.name;
        }
}

TEST_F(SettingsTest, listed_default_can_be_written)
{
    for (const Row& row : table())
        if (row.type != Type::accepted) {
            EXPECT_EQ(value_text(row, with(row.name, row.default_text)), row.default_text) << row.name;
            set(row.name, row.default_text);
        }
    EXPECT_EQ(complaints(), "");
}

TEST_F(SettingsTest, boolean_takes_the_usual_words)
{
    for (const char* yes : {"1", "yes", "Y", "TRUE", "t", "on"})
        EXPECT_EQ(with("ARMCI_VERBOSE", yes).verbose, 1) << yes;
    for (const char* no : {"0", "no", "N", "False", "f", "OFF"})
        EXPECT_EQ(with("ARMCI_MEMORY_CHECK", no).memory_check, 0) << no;
    for (const char* bad : {"", "2", "maybe", " 1", "-1"})
        EXPECT_EQ(with("ARMCI_MEMORY_CHECK", bad).memory_check, 1) << "'" << bad << "' is not the default";
}

TEST_F(SettingsTest, bytes_take_suffixes)
{
    constexpr std::int64_t k = 1024;
    const std::vector<std::pair<const char*, std::int64_t>> good = {{"0", 0},
                                                                    {"1", 1},
                                                                    {"4096", 4096},
                                                                    {"3K", 3 * k},
                                                                    {"3k", 3 * k},
                                                                    {"5M", 5 * k * k},
                                                                    {"5MiB", 5 * k * k},
                                                                    {"5mb", 5 * k * k},
                                                                    {"2G", 2 * k * k * k},
                                                                    {"1T", k * k * k * k}};
    for (const auto& [text, bytes] : good)
        EXPECT_EQ(with("ARMCI_MEMORY_LIMIT", text).memory_limit, bytes) << text;
    for (const char* bad :
         {"", "K", "1X", "1KK", "1 K", "-1", "-1K", "1.5G", "9223372036854775808", "9999999999T", "1iB"})
        EXPECT_EQ(with("ARMCI_MEMORY_LIMIT", bad).memory_limit, 0) << "'" << bad << "' is not the default";
}

TEST_F(SettingsTest, ranges_include_their_ends)
{
    EXPECT_EQ(with("ARMCI_SPIN", "-1").spin, -1);
    EXPECT_EQ(with("ARMCI_SPIN", "1000000").spin, 1000000);
    EXPECT_EQ(with("ARMCI_SPIN", "1000001").spin, -1);
    EXPECT_EQ(with("ARMCI_SPIN", "-2").spin, -1);
    EXPECT_EQ(with("ARMCI_SPIN", "10K").spin, -1) << "a whole number has no suffix";
    EXPECT_EQ(with("ARMCI_ARENA_SIZE", "32T").arena_size, std::int64_t{1} << 45);
    EXPECT_EQ(with("ARMCI_ARENA_SIZE", "33T").arena_size, 0);
}

TEST_F(SettingsTest, choices_are_their_words)
{
    EXPECT_EQ(with("ARMCI_ARENA_BACKING", "auto").arena_backing, ArenaBacking::automatic);
    EXPECT_EQ(with("ARMCI_ARENA_BACKING", "memfd").arena_backing, ArenaBacking::memfd);
    EXPECT_EQ(with("ARMCI_ARENA_BACKING", "shm").arena_backing, ArenaBacking::posix_shm);
    EXPECT_EQ(with("ARMCI_ARENA_BACKING", "mem").arena_backing, ArenaBacking::automatic);
    EXPECT_EQ(with("ARMCI_ERRORS", "return").errors, armci::diag::OnError::give_code);
    EXPECT_EQ(with("ARMCI_ERRORS", "abort").errors, armci::diag::OnError::abort);
    EXPECT_EQ(with("ARMCI_ERRORS", "return|abort").errors, armci::diag::OnError::abort);
}

TEST_F(SettingsTest, a_report_goes_nowhere_to_the_eye_or_to_a_file)
{
    EXPECT_EQ(Settings().stats, "");
    for (const char* none : {"0", "no", "OFF"})
        EXPECT_EQ(with("ARMCI_STATS", none).stats, "");
    for (const char* printed : {"1", "yes", "True"})
        EXPECT_EQ(with("ARMCI_STATS", printed).stats, armci::settings::report_printed);
    EXPECT_EQ(with("ARMCI_STATS", "a b/c.json").stats, "a b/c.json");
    for (const char* wrong : {"", "maybe", "2", "statistics.txt"})
        EXPECT_EQ(with("ARMCI_STATS", wrong).stats, "");
}

TEST_F(SettingsTest, a_path_is_taken_as_it_is)
{
    for (const char* path : {"", "tune.txt", "/a b/ c.txt ", "0"})
        EXPECT_EQ(with("ARMCI_TUNE_FILE", path).tune_file, path);
    EXPECT_EQ(from_environment(false).tune_file, "");
}

TEST_F(SettingsTest, bad_value_gets_one_warning_with_what_is_right)
{
    set("ARMCI_ERRORS", "ignore");
    const std::string text = complaints();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    for (const char* fragment : {"ARMCI_ERRORS", "'ignore'", "abort|return", "default abort"})
        EXPECT_NE(text.find(fragment), std::string::npos) << fragment << ": " << text;
}

TEST_F(SettingsTest, unknown_name_gets_one_warning_with_the_nearest)
{
    set("ARMCI_VERBOES", "1");
    const std::string text = complaints();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_NE(text.find("unknown setting ARMCI_VERBOES"), std::string::npos) << text;
    EXPECT_NE(text.find("ARMCI_VERBOSE"), std::string::npos) << text;
}

TEST_F(SettingsTest, names_of_other_libraries_are_known)
{
    for (const char* name : {"ARMCI_USE_WIN_ALLOCATE", "ARMCI_SHR_BUF_METHOD", "ARMCI_FLUSH_BARRIERS"})
        set(name, "whatever");
    EXPECT_EQ(complaints(), "");
}

TEST_F(SettingsTest, nobody_complains_unasked)
{
    set("ARMCI_NONSENSE", "1");
    set("ARMCI_SPIN", "x");
    const int kept = dup(STDERR_FILENO);
    const int sink = memfd_create("stderr", MFD_CLOEXEC);
    dup2(sink, STDERR_FILENO);
    from_environment(false);
    dup2(kept, STDERR_FILENO);
    close(kept);
    EXPECT_EQ(lseek(sink, 0, SEEK_END), 0);
    close(sink);
}

} // namespace
} // namespace armci_test
