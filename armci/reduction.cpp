#include "armci/reduction.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/include/message.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>

namespace armci::message {
namespace {

// Elements may lie at any address, as a program's may on the machines that ARMCI was made for.
template <class T>
T element_at(const std::byte* place)
{
    T value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

template <class T, class Change>
void change_each(void* x, int count, Change change)
{
    auto* place = static_cast<std::byte*>(x);
    for (const std::byte* const end = place + static_cast<std::size_t>(count) * sizeof(T); place != end;
         place += sizeof(T)) {
        const T changed = change(element_at<T>(place));
        std::memcpy(place, &changed, sizeof changed);
    }
}

template <class T>
void absolute_values(void* x, int count)
{
    change_each<T>(x, count, [](T value) { return static_cast<T>(std::abs(value)); });
}

// absmin and absmax compare and give absolute values: the minimum or maximum of those.
void take_absolute_values(void* x, int count, int type)
{
    switch (type) {
    case ARMCI_INT:
        absolute_values<int>(x, count);
        break;
    case ARMCI_LONG:
        absolute_values<long>(x, count);
        break;
    case ARMCI_LONG_LONG:
        absolute_values<long long>(x, count);
        break;
    case ARMCI_FLOAT:
        absolute_values<float>(x, count);
        break;
    default:
        absolute_values<double>(x, count);
        break;
    }
}

template <class T>
void truth_values(void* x, int count)
{
    change_each<T>(x, count, [](T value) { return static_cast<T>(value != 0); });
}

void take_truth_values(void* x, int count, int type)
{
    if (type == ARMCI_INT)
        truth_values<int>(x, count);
    else
        truth_values<long>(x, count); // a long long is as long
}

template <class T>
T folded(T one, T other, MPI_Op op)
{
    if (op == MPI_SUM)
        return static_cast<T>(one + other);
    if (op == MPI_PROD)
        return static_cast<T>(one * other);
    if (op == MPI_MIN)
        return std::min(one, other);
    if (op == MPI_MAX)
        return std::max(one, other);
    if constexpr (std::is_integral_v<T>)
        return op == MPI_BAND ? one & other : one | other;
    return one;
}

template <class T>
void fold(std::byte* into, const std::byte* from, std::size_t count, MPI_Op op)
{
    for (std::size_t i = 0; i < count * sizeof(T); i += sizeof(T)) {
        const T value = folded(element_at<T>(into + i), element_at<T>(from + i), op);
        std::memcpy(into + i, &value, sizeof value);
    }
}

} // namespace

Element element(const char* call, int type)
{
    switch (type) {
    case ARMCI_INT:
        return {MPI_INT, MPI_2INT, sizeof(int), true};
    case ARMCI_LONG:
        return {MPI_LONG, MPI_LONG_INT, sizeof(long), true};
    case ARMCI_LONG_LONG:
        static_assert(sizeof(long) == sizeof(long long)); // no MPI pair type has a long long
        return {MPI_LONG_LONG, MPI_LONG_INT, sizeof(long long), true};
    case ARMCI_FLOAT:
        return {MPI_FLOAT, MPI_FLOAT_INT, sizeof(float), false};
    case ARMCI_DOUBLE:
        return {MPI_DOUBLE, MPI_DOUBLE_INT, sizeof(double), false};
    default:
        diag::fatal(call, "type is %d; it must be %d (ARMCI_INT) to %d (ARMCI_DOUBLE)", type, ARMCI_INT,
                    ARMCI_DOUBLE);
    }
}

Operator operator_of(const char* call, const char* operation, int type, const Element& kind)
{
    const std::optional<Operator> op = read_operator(operation);
    if (!op)
        diag::fatal(call, "operator %s is unknown; it must begin with one of %s", seen_of(operation).c_str(),
                    operator_names);
    if (integers_only(*op) && !kind.integer)
        diag::fatal(call, "operator %s takes integers only; the type is %d", seen_of(operation).c_str(),
                    type);
    return *op;
}

MPI_Op prepare(Operator op, void* x, int count, int type)
{
    switch (op) {
    case Operator::sum:
        return MPI_SUM;
    case Operator::product:
        return MPI_PROD;
    case Operator::min:
        return MPI_MIN;
    case Operator::max:
        return MPI_MAX;
    case Operator::absmin:
        take_absolute_values(x, count, type);
        return MPI_MIN;
    case Operator::absmax:
        take_absolute_values(x, count, type);
        return MPI_MAX;
    case Operator::logical_and:
        take_truth_values(x, count, type);
        return MPI_BAND;
    case Operator::logical_or:
        take_truth_values(x, count, type);
        return MPI_BOR;
    case Operator::bitwise_and:
        return MPI_BAND;
    case Operator::bitwise_or:
        break;
    }
    return MPI_BOR;
}

void fold(void* x, const std::byte* from, std::size_t count, MPI_Op op, int type)
{
    auto* const into = static_cast<std::byte*>(x);
    const bool wraps =
        op == MPI_SUM || op == MPI_PROD; // as in memory, so unsigned; min and max need the sign
    switch (type) {
    case ARMCI_INT:
        return wraps ? fold<unsigned>(into, from, count, op) : fold<int>(into, from, count, op);
    case ARMCI_LONG:
    case ARMCI_LONG_LONG:
        return wraps ? fold<unsigned long>(into, from, count, op) : fold<long>(into, from, count, op);
    case ARMCI_FLOAT:
        return fold<float>(into, from, count, op);
    default:
        return fold<double>(into, from, count, op);
    }
}

} // namespace armci::message
