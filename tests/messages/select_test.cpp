#include "tests/messages/scope.hpp"

#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

namespace armci_test {
namespace {

template <class T>
constexpr int type_code()
{
    if constexpr (std::is_same_v<T, int>)
        return ARMCI_INT;
    if constexpr (std::is_same_v<T, long>)
        return ARMCI_LONG;
    if constexpr (std::is_same_v<T, long long>)
        return ARMCI_LONG_LONG;
    if constexpr (std::is_same_v<T, float>)
        return ARMCI_FLOAT;
    return ARMCI_DOUBLE;
}

// The key, and who it comes from.
template <class T>
struct Record {
    T key;
    int process;
    char text[20];
    bool operator==(const Record& other) const
    {
        return key == other.key && process == other.process && std::strcmp(text, other.text) == 0;
    }
};

template <class T>
Record<T> record(T key, int process)
{
    Record<T> result{key, process, {}};
    std::snprintf(result.text, sizeof result.text, "from %d", process);
    return result;
}

// key(process) and contributes(process) are known to all, so each can tell the winner.
template <class T, class Key, class Contributes>
void check(int scope, Key key, Contributes contributes)
{
    const auto members = scope_members(scope, everybody());
    for (const bool least : {true, false}) {
        std::optional<int> winner;
        for (const int process : members) // in rank order, so the lowest of equals stays
            if (contributes(process) &&
                (!winner || (least ? key(process) < key(*winner) : key(*winner) < key(process))))
                winner = process;
        Record<T> mine = record<T>(key(rank()), rank());
        const Record<T> wanted = takes_part(members) && winner ? record<T>(key(*winner), *winner) : mine;
        char name[4];
        std::strcpy(name, least ? "min" : "max");
        if (scope == SCOPE_ALL && members.size() % 2 == 0)
            armci_msg_sel(&mine, sizeof mine, name, type_code<T>(), contributes(rank()) ? 1 : 0);
        else
            armci_msg_sel_scope(scope, &mine, sizeof mine, name, type_code<T>(), contributes(rank()) ? 1 : 0);
        EXPECT_TRUE(mine == wanted) << name << " over " << scope_name(scope) << ": got the record of "
                                    << mine.process << ", not of " << wanted.process;
    }
}

template <class T>
class Select : public testing::Test {
};
using Types = testing::Types<int, long, long long, float, double>;
TYPED_TEST_SUITE(Select, Types);

TYPED_TEST(Select, takes_the_whole_record_of_the_winner)
{
    for (const int scope : all_scopes)
        for (int shift = 0; shift < size(); ++shift)
            check<TypeParam>(
                scope, [&](int process) { return TypeParam((process * 5 + shift * 3) % 7 - 3); },
                [](int) { return true; });
}

TYPED_TEST(Select, lowest_process_wins_a_tie)
{
    for (const int scope : all_scopes)
        check<TypeParam>(
            scope, [](int) { return TypeParam(-4); }, [](int) { return true; });
}

// Every subset of contributors.
TYPED_TEST(Select, only_contributors_compete)
{
    const int subsets = 1 << std::min(size(), 4);
    for (int subset = 0; subset < subsets; ++subset)
        for (const int scope : all_scopes)
            check<TypeParam>(
                scope, [](int process) { return TypeParam(process % 2 == 0 ? process : -process); },
                [&](int process) { return ((subset >> (process % 4)) & 1) != 0; });
}

// The extreme values of the type lose to nobody who does not compete.
TYPED_TEST(Select, contributor_with_the_worst_key_still_wins)
{
    using Limits = std::numeric_limits<TypeParam>;
    for (const TypeParam worst : {Limits::max(), Limits::lowest()})
        for (int only = 0; only < size(); ++only)
            for (const int scope : all_scopes)
                check<TypeParam>(
                    scope, [&](int process) { return process == only ? worst : TypeParam(0); },
                    [&](int process) { return process == only; });
    if constexpr (Limits::has_infinity)
        for (const TypeParam worst : {Limits::infinity(), -Limits::infinity()})
            for (int only = 0; only < size(); ++only)
                check<TypeParam>(
                    SCOPE_ALL, [&](int process) { return process == only ? worst : TypeParam(0); },
                    [&](int process) { return process == only; });
}

// 64-bit keys that differ in their low bits only.
TEST(SelectLong, compares_all_bits)
{
    constexpr long big = 0x4000'0000'0000'0000;
    check<long>(
        SCOPE_ALL, [](int process) { return big + (process * 5 + 2) % 7; }, [](int) { return true; });
    check<long long>(
        SCOPE_ALL, [](int process) { return -big - (process * 5 + 2) % 7; }, [](int) { return true; });
}

TEST(SelectRecord, may_be_only_its_key_or_very_long)
{
    int key = 10 + rank();
    char op[] = "max";
    armci_msg_sel(&key, sizeof key, op, ARMCI_INT, 1);
    EXPECT_EQ(key, 10 + size() - 1);
    std::vector<int> record(50'000, rank());
    record[0] = -rank();
    armci_msg_sel(record.data(), static_cast<int>(record.size() * sizeof(int)), op, ARMCI_INT,
                  rank() != 0 || size() == 1);
    const int winner = size() == 1 ? 0 : 1;
    EXPECT_EQ(record[0], -winner);
    EXPECT_TRUE(std::all_of(record.begin() + 1, record.end(), [&](int i) { return i == winner; }));
}

} // namespace
} // namespace armci_test
