// How a refused call is seen: what it wrote to stderr, what it returned, and that no memory changed.
#pragma once

#include "tests/support/path.hpp"

#include <armci.h>
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace armci_test {

// Runs `act` with stderr going to memory; returns what was written.
template <class Act>
std::string stderr_of(Act act)
{
    std::fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    const int sink = memfd_create("stderr", MFD_CLOEXEC);
    dup2(sink, STDERR_FILENO);
    act();
    std::fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    std::string text(static_cast<std::size_t>(lseek(sink, 0, SEEK_END)), '\0');
    if (pread(sink, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        text = "(unreadable)";
    close(sink);
    return text;
}

// Runs a call with stderr going to `text`; returns what it returned, or 1 for a call of no result.
template <class Call>
std::intptr_t call_and_listen(Call call, std::string& text)
{
    std::intptr_t result = 1;
    text = stderr_of([&] {
        if constexpr (std::is_void_v<decltype(call())>)
            call();
        else if constexpr (std::is_pointer_v<decltype(call())>)
            result = reinterpret_cast<std::intptr_t>(call());
        else
            result = static_cast<std::intptr_t>(call());
    });
    return result;
}

// One line of this rank that names the call and holds every fragment.
inline testing::AssertionResult is_one_message(const std::string& text, const std::string& name,
                                               std::initializer_list<std::string> fragments)
{
    const std::string start = "armci: rank " + std::to_string(armci_msg_me()) + " of " +
                              std::to_string(armci_msg_nproc()) + ": " + name + ": ";
    if (std::count(text.begin(), text.end(), '\n') != 1 || !text.starts_with(start))
        return testing::AssertionFailure()
               << "wanted one line that starts '" << start << "', got: '" << text << "'";
    for (const std::string& fragment : fragments)
        if (text.find(fragment) == std::string::npos)
            return testing::AssertionFailure() << "'" << fragment << "' is missing in: " << text;
    return testing::AssertionSuccess();
}

inline bool same_node(int a, int b)
{
    return armci_domain_id(ARMCI_DOMAIN_SMP, a) == armci_domain_id(ARMCI_DOMAIN_SMP, b);
}

// Global memory around which everything is watched: three large and three small regions, one after another,
// and the address range between them. Each rank uses those of its right neighbour.
class Watched : public testing::Test {
public:
    static constexpr int large_bytes = 100'002; // an aligned element may begin inside and end outside
    static constexpr int small_bytes = 400;

protected:
    static void SetUpTestSuite()
    {
        me = armci_msg_me();
        processes = armci_msg_nproc();
        target = (me + 1) % processes;
        bases.clear();
        for (const int bytes :
             {large_bytes, large_bytes, large_bytes, small_bytes, small_bytes, small_bytes}) {
            bases.emplace_back(processes);
            ASSERT_EQ(0, ARMCI_Malloc(bases.back().data(), bytes));
            std::memset(bases.back()[me], 0x5a, bytes);
        }
        large = static_cast<char*>(bases[1][target]);
        small = static_cast<char*>(bases[4][target]);
        ARMCI_Barrier();

        before = watched();
        ASSERT_LT(before.size(), 16u << 20);
        origin.assign(large_bytes, 0x33);
        ARMCI_Barrier();
    }
    static void TearDownTestSuite()
    {
        ARMCI_Barrier();
        for (auto& base : bases)
            ARMCI_Free(base[me]);
        bases.clear();
    }

    // `call` must return non-zero, write one such message, and change nothing at the target or at the origin.
    template <class Call>
    static void refused(const std::string& name, std::initializer_list<std::string> fragments, Call call)
    {
        std::string text;
        const auto result = call_and_listen(call, text);
        EXPECT_NE(0, result) << name << " did not refuse; it wrote: " << text;
        EXPECT_TRUE(is_one_message(text, name, fragments));
        EXPECT_TRUE(before == watched()) << name << " changed global memory";
        EXPECT_TRUE(std::all_of(origin.begin(), origin.end(), [](char c) { return c == 0x33; }))
            << name << " changed the origin buffer";
    }

    static std::string text_of(const void* pointer)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%p", pointer);
        return text;
    }

    inline static int me, processes, target;
    inline static char *large, *small; // of the target; in the middle of three
    inline static std::vector<char> origin;

private:
    // What the target has there: by loads where they reach it, else the slices alone, by gets.
    static std::vector<char> watched()
    {
        if (same_node(me, target) && shares_addresses()) {
            const char *first = large, *last = large;
            for (const auto& base : bases) {
                first = std::min(first, static_cast<const char*>(base[target]));
                last = std::max(last, static_cast<const char*>(base[target]) + large_bytes);
            }
            return {first, last};
        }
        std::vector<char> result;
        for (std::size_t i = 0; i < bases.size(); ++i) {
            const int bytes = i < 3 ? large_bytes : small_bytes;
            result.resize(result.size() + bytes);
            EXPECT_EQ(0, ARMCI_Get(bases[i][target], result.data() + result.size() - bytes, bytes, target));
        }
        return result;
    }

    inline static std::vector<std::vector<void*>> bases;
    inline static std::vector<char> before;
};

} // namespace armci_test
