// The six element types of accumulates as C++ types.
#pragma once

#include <armci.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <type_traits>

namespace armci_test {

using AccumulateTypes = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

template <class T>
constexpr int accumulate_type()
{
    if constexpr (std::is_same_v<T, int>)
        return ARMCI_ACC_INT;
    if constexpr (std::is_same_v<T, long>)
        return ARMCI_ACC_LNG;
    if constexpr (std::is_same_v<T, float>)
        return ARMCI_ACC_FLT;
    if constexpr (std::is_same_v<T, double>)
        return ARMCI_ACC_DBL;
    if constexpr (std::is_same_v<T, std::complex<float>>)
        return ARMCI_ACC_CPL;
    return ARMCI_ACC_DCP;
}

// A small whole number, so that sums are exact; complex ones have an imaginary part.
template <class T>
T small_value(std::size_t i)
{
    const int real = static_cast<int>(i % 13) - 6;
    if constexpr (is_complex<T>)
        return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(i % 5));
    else
        return static_cast<T>(real);
}

// A scale that is not one.
template <class T>
T some_scale()
{
    if constexpr (is_complex<T>)
        return T(2, -1);
    else
        return T(3);
}

} // namespace armci_test
