// All operators, types, scopes and forms of reductions, against a serial reduction of the same values.
#include "tests/messages/scope.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <type_traits>

namespace armci_test {
namespace {

template <class T>
struct Type;
template <>
struct Type<int> {
    static constexpr int code = ARMCI_INT;
    static inline const auto gop = armci_msg_igop;
    static inline const auto group_gop = armci_msg_group_igop;
    static inline const auto node_gop = armci_msg_clus_igop;
};
template <>
struct Type<long> {
    static constexpr int code = ARMCI_LONG;
    static inline const auto gop = armci_msg_lgop;
    static inline const auto group_gop = armci_msg_group_lgop;
    static inline const auto node_gop = armci_msg_clus_lgop;
};
template <>
struct Type<long long> {
    static constexpr int code = ARMCI_LONG_LONG;
    static inline const auto gop = armci_msg_llgop;
    static inline const auto group_gop = armci_msg_group_llgop;
    static inline const auto node_gop = armci_msg_clus_llgop;
};
template <>
struct Type<float> {
    static constexpr int code = ARMCI_FLOAT;
    static inline const auto gop = armci_msg_fgop;
    static inline const auto group_gop = armci_msg_group_fgop;
    static inline const auto node_gop = armci_msg_clus_fgop;
};
template <>
struct Type<double> {
    static constexpr int code = ARMCI_DOUBLE;
    static inline const auto gop = armci_msg_dgop;
    static inline const auto group_gop = armci_msg_group_dgop;
    static inline const auto node_gop = armci_msg_clus_dgop;
};

template <class T>
std::vector<std::string> operators()
{
    std::vector<std::string> names{"+", "*", "min", "max", "absmin", "absmax"};
    if constexpr (std::is_integral_v<T>)
        names.insert(names.end(), {"or", "&&", "land", "||", "lor", "&", "band", "|", "bor"});
    return names;
}

bool is(const std::string& name, const char* one, const char* other)
{
    return name == one || name == other;
}

template <class T>
T combine(const std::string& name, T a, T b)
{
    if (name == "+")
        return a + b;
    if (name == "*")
        return a * b;
    if (name == "min")
        return std::min(a, b);
    if (name == "max")
        return std::max(a, b);
    if (name == "absmin")
        return std::min<T>(std::abs(a), std::abs(b));
    if (name == "absmax")
        return std::max<T>(std::abs(a), std::abs(b));
    if constexpr (std::is_integral_v<T>) {
        if (is(name, "&&", "land"))
            return a != 0 && b != 0;
        if (is(name, "||", "lor"))
            return a != 0 || b != 0;
        return is(name, "&", "band") ? a & b : a | b;
    }
    return T{};
}

// Of both signs; factors are small, so that products of all ranks are exact, and of bits and of truth some
// are set and some are not after any operation.
template <class T>
T value(const std::string& name, int process, std::size_t i)
{
    const std::size_t step = static_cast<std::size_t>(process) * 3 + i;
    const int mixed = static_cast<int>((static_cast<std::size_t>(process) * 37 + i * 11) % 101) - 50;
    if (name == "*")
        return static_cast<T>(mixed % 3 == 0 ? 2 : mixed % 3 == 1 ? -1 : 1);
    if (is(name, "&&", "land"))
        return static_cast<T>(step % 7 == 0 ? 0 : mixed * 1024 - 1);
    if (is(name, "||", "lor"))
        return static_cast<T>(step % 7 == 0 ? mixed * 1024 - 1 : 0);
    if (is(name, "&", "band"))
        return static_cast<T>(~(1L << (step % 30)));
    if (is(name, "|", "bor") || name == "or")
        return static_cast<T>(1L << (step % 30));
    return static_cast<T>(mixed);
}

// An operator as callers write it: a string; padded by what happens to follow, as Fortran has it; and with
// nothing behind it that could be read.
class Spellings {
public:
    explicit Spellings(const std::string& name) : name_(name), padded_(name + "ga_local_mdot: pop work array")
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        pages_ = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(pages_, MAP_FAILED);
        EXPECT_EQ(0, mprotect(static_cast<char*>(pages_) + page, page, PROT_NONE));
        bytes_ = 2 * page;
        last_ = static_cast<char*>(pages_) + page - name.size();
        std::copy(name.begin(), name.end(), last_);
    }
    ~Spellings() { munmap(pages_, bytes_); }
    Spellings(const Spellings&) = delete;
    Spellings& operator=(const Spellings&) = delete;

    std::vector<char*> all() { return {name_.data(), padded_.data(), last_}; }

private:
    std::string name_, padded_;
    void* pages_;
    std::size_t bytes_;
    char* last_;
};

template <class T>
std::vector<T> values(const std::string& name, int process, std::size_t n)
{
    std::vector<T> result(n);
    for (std::size_t i = 0; i < n; ++i)
        result[i] = value<T>(name, process, i);
    return result;
}

template <class T>
std::vector<T> expected(const std::string& name, const std::vector<int>& members, std::size_t n)
{
    std::vector<T> result = values<T>(name, members.front(), n);
    for (std::size_t i = 0; i < n; ++i) {
        if (members.size() == 1 &&
            (name.starts_with("abs") || is(name, "&&", "land") || is(name, "||", "lor")))
            result[i] = combine(name, result[i], result[i]); // absolute, or true, even if alone
        for (std::size_t m = 1; m < members.size(); ++m)
            result[i] = combine(name, result[i], value<T>(name, members[m], i));
    }
    return result;
}

// `reduce(x, n, operator)` leaves the reduction over `members` in x.
template <class T, class Reduce>
void check(const std::vector<int>& members, Reduce reduce)
{
    for (const std::string& name : operators<T>()) {
        Spellings spellings(name);
        for (const std::size_t n : {1u, 2u, 17u, 300u}) {
            auto wanted = takes_part(members) ? expected<T>(name, members, n) : values<T>(name, rank(), n);
            wanted.push_back(T(99)); // must stay
            for (char* const spelling : spellings.all()) {
                std::vector<T> x = values<T>(name, rank(), n);
                x.push_back(T(99));
                reduce(x.data(), static_cast<int>(n), spelling);
                EXPECT_EQ(x, wanted) << "operator " << name << ", " << n << " elements";
            }
        }
    }
    // No element is legal, with or without a buffer.
    T untouched(7);
    reduce(&untouched, 0, const_cast<char*>("+"));
    reduce(static_cast<T*>(nullptr), 0, const_cast<char*>("max"));
    EXPECT_EQ(untouched, T(7));
}

template <class T>
class Reduction : public testing::Test {
};
using Types = testing::Types<int, long, long long, float, double>;
TYPED_TEST_SUITE(Reduction, Types);

TYPED_TEST(Reduction, of_the_world)
{
    check<TypeParam>(everybody(), Type<TypeParam>::gop);
}

TYPED_TEST(Reduction, of_every_scope)
{
    for (const int scope : all_scopes) {
        SCOPED_TRACE(scope_name(scope));
        check<TypeParam>(scope_members(scope, everybody()), [&](TypeParam* x, int n, char* op) {
            armci_msg_gop_scope(scope, x, n, op, Type<TypeParam>::code);
        });
    }
}

TYPED_TEST(Reduction, of_groups)
{
    TestGroups groups;
    groups.each([](ARMCI_Group* group, const std::vector<int>& members) {
        check<TypeParam>(members,
                         [&](TypeParam* x, int n, char* op) { Type<TypeParam>::group_gop(x, n, op, group); });
    });
}

TYPED_TEST(Reduction, of_every_scope_of_groups)
{
    TestGroups groups;
    groups.each([](ARMCI_Group* group, const std::vector<int>& members) {
        for (const int scope : all_scopes) {
            SCOPED_TRACE(scope_name(scope));
            check<TypeParam>(scope_members(scope, members), [&](TypeParam* x, int n, char* op) {
                armci_msg_group_gop_scope(scope, x, n, op, Type<TypeParam>::code, group);
            });
        }
    });
}

TYPED_TEST(Reduction, of_my_node)
{
    check<TypeParam>(scope_members(SCOPE_NODE, everybody()), Type<TypeParam>::node_gop);
}

// Only the first process of the scope gets the result; the others keep what they had, signs included.
TYPED_TEST(Reduction, to_one_process)
{
    using T = TypeParam;
    for (const int scope : all_scopes) {
        SCOPED_TRACE(scope_name(scope));
        const auto members = scope_members(scope, everybody());
        for (const std::string& name : operators<T>()) {
            Spellings spellings(name);
            for (const std::size_t n : {0u, 1u, 100u})
                for (char* const spelling : spellings.all()) {
                    std::vector<T> x = values<T>(name, rank(), n);
                    const auto wanted =
                        takes_part(members) && members.front() == rank() ? expected<T>(name, members, n) : x;
                    armci_msg_reduce_scope(scope, x.data(), static_cast<int>(n), spelling, Type<T>::code);
                    EXPECT_EQ(x, wanted) << "operator " << name << ", " << n << " elements";
                }
        }
    }
    std::vector<T> x = values<T>("max", rank(), 50);
    const auto wanted = rank() == 0 ? expected<T>("max", everybody(), 50) : x;
    armci_msg_reduce(x.data(), 50, const_cast<char*>("max"), Type<T>::code);
    EXPECT_EQ(x, wanted);
}

// Longer than what any shared buffer holds.
TYPED_TEST(Reduction, of_long_vectors)
{
    using T = TypeParam;
    constexpr std::size_t n = 30'001;
    for (const char* name : {"+", "absmax"}) {
        std::vector<T> x = values<T>(name, rank(), n);
        Type<T>::gop(x.data(), n, const_cast<char*>(name));
        EXPECT_TRUE(x == expected<T>(name, everybody(), n)) << name;
    }
}

} // namespace
} // namespace armci_test
