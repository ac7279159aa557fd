// The operators of reductions, read as their callers write them: Fortran passes a name without a terminator,
// C one that is padded. A name is known by its first characters, and nothing behind them is read.
#pragma once

#include <optional>
#include <string>

namespace armci::message {

enum class Operator {
    sum,
    product,
    min,
    max,
    absmin,
    absmax,
    logical_and,
    logical_or,
    bitwise_and,
    bitwise_or
};

inline constexpr const char* operator_names = "+ * min max absmin absmax or, && land || lor & band | bor";

// Nothing where no name of an operator stands.
std::optional<Operator> read_operator(const char* text);

// As much of `text` as read_operator() looks at, quoted, for messages.
std::string seen_of(const char* text);

// Whether it takes integers only.
constexpr bool integers_only(Operator op)
{
    return op >= Operator::logical_and;
}

} // namespace armci::message
