#include "tests/rma/region.hpp"

#include <climits>
#include <cmath>
#include <cstring>
#include <limits>

namespace armci_test {
namespace {

template <class T>
struct Calls;
template <>
struct Calls<int> {
    static constexpr auto put = ARMCI_PutValueInt;
    static constexpr auto get = ARMCI_GetValueInt;
    static constexpr auto nonblocking_put = ARMCI_NbPutValueInt;
    static std::vector<int> values() { return {0, 1, -1, INT_MAX, INT_MIN, 0x01020304}; }
};
template <>
struct Calls<long> {
    static constexpr auto put = ARMCI_PutValueLong;
    static constexpr auto get = ARMCI_GetValueLong;
    static constexpr auto nonblocking_put = ARMCI_NbPutValueLong;
    static std::vector<long> values() { return {0, 1, -1, LONG_MAX, LONG_MIN, 0x0102030405060708}; }
};
template <class T>
std::vector<T> reals()
{
    using Limits = std::numeric_limits<T>;
    return {
        T(0), T(-0.0), T(1.5), Limits::max(), Limits::denorm_min(), Limits::infinity(), Limits::quiet_NaN()};
}
template <>
struct Calls<float> {
    static constexpr auto put = ARMCI_PutValueFloat;
    static constexpr auto get = ARMCI_GetValueFloat;
    static constexpr auto nonblocking_put = ARMCI_NbPutValueFloat;
    static std::vector<float> values() { return reals<float>(); }
};
template <>
struct Calls<double> {
    static constexpr auto put = ARMCI_PutValueDouble;
    static constexpr auto get = ARMCI_GetValueDouble;
    static constexpr auto nonblocking_put = ARMCI_NbPutValueDouble;
    static std::vector<double> values() { return reals<double>(); }
};

template <class T>
bool same_bits(T a, T b)
{
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class Value : public testing::Test {
};
using ValueTypes = testing::Types<int, long, float, double>;
TYPED_TEST_SUITE(Value, ValueTypes);

// Each rank has three elements of its own on each process: the value and a neighbour on both sides.
TYPED_TEST(Value, arrives_with_all_its_bits_and_nothing_beside_it)
{
    using T = TypeParam;
    Region region(static_cast<long>(3 * sizeof(T)) * size());
    for (int target = 0; target < size(); ++target) {
        T* const at = region.as<T>(target) + 3 * rank();
        const T guard = T(77);
        for (int i = 0; i < 3; ++i)
            ASSERT_EQ(0, Calls<T>::put(guard, at + i, target));
        for (const T value : Calls<T>::values()) {
            ASSERT_EQ(0, Calls<T>::put(value, at + 1, target));
            EXPECT_TRUE(same_bits(Calls<T>::get(at + 1, target), value)) << value;
            EXPECT_EQ(Calls<T>::get(at, target), guard);
            EXPECT_EQ(Calls<T>::get(at + 2, target), guard);
        }
        // The value needs no buffer that lives on.
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ASSERT_EQ(0, Calls<T>::nonblocking_put(T(5), at, target, &handle));
        ASSERT_EQ(0, Calls<T>::nonblocking_put(T(6), at + 2, target, nullptr));
        EXPECT_EQ(0, ARMCI_Wait(&handle));
        EXPECT_EQ(0, ARMCI_WaitProc(target));
        EXPECT_EQ(Calls<T>::get(at, target), T(5));
        EXPECT_EQ(Calls<T>::get(at + 2, target), T(6));
    }
    ARMCI_Barrier();
    for (int origin = 0; origin < size(); ++origin)
        EXPECT_TRUE(same_bits(region.as<T>(rank())[3 * origin + 1], Calls<T>::values().back()))
            << "by direct load";
}

} // namespace
} // namespace armci_test
