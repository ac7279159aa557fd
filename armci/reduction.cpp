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

template <class T>
void absolute_values(void* x, int count)
{
    auto* const values = static_cast<T*>(x);
    std::transform(values, values + count, values, [](T value) { return static_cast<T>(std::abs(value)); });
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
    auto* const values = static_cast<T*>(x);
    std::transform(values, values + count, values, [](T value) { return static_cast<T>(value != 0); });
}

void take_truth_values(void* x, int count, int type)
{
    if (type == ARMCI_INT)
        truth_values<int>(x, count);
    else
        truth_values<long>(x, count); // a long long is as long
}

template <class T>
void fold(T* into, const std::byte* from, std::size_t count, MPI_Op op)
{
    T value;
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(&value, from + i * sizeof(T), sizeof value);
        if (op == MPI_SUM)
            into[i] = static_cast<T>(into[i] + value);
        else if (op == MPI_PROD)
            into[i] = static_cast<T>(into[i] * value);
        else if (op == MPI_MIN)
            into[i] = std::min(into[i], value);
        else if (op == MPI_MAX)
            into[i] = std::max(into[i], value);
        else if constexpr (std::is_integral_v<T>)
            into[i] = op == MPI_BAND ? into[i] & value : into[i] | value;
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

void fold(void* into, const std::byte* from, std::size_t count, MPI_Op op, int type)
{
    switch (type) { // unsigned: sums wrap around as they do in memory; min and max need the sign
    case ARMCI_INT:
        return op == MPI_SUM || op == MPI_PROD ? fold(static_cast<unsigned*>(into), from, count, op)
                                               : fold(static_cast<int*>(into), from, count, op);
    case ARMCI_LONG:
    case ARMCI_LONG_LONG:
        return op == MPI_SUM || op == MPI_PROD ? fold(static_cast<unsigned long*>(into), from, count, op)
                                               : fold(static_cast<long*>(into), from, count, op);
    case ARMCI_FLOAT:
        return fold(static_cast<float*>(into), from, count, op);
    default:
        return fold(static_cast<double*>(into), from, count, op);
    }
}

} // namespace armci::message
