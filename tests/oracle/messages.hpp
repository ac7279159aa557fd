// What messages carry, and what collective ones must give.
#pragma once

#include "tests/oracle/layout.hpp"

namespace oracle {

// Operators of reductions; the first `of_all_types` are for floating types as well.
constexpr const char* operators[] = {"+",  "*",   "min", "max",  "absmin", "absmax", "&&", "land",
                                     "||", "lor", "&",   "band", "|",      "bor",    "or"};
constexpr int of_all_types = 6, operator_count = 15;

// Of an armci_type_e.
long message_element(int type);

// The members of a scope as the process `me` takes part in it: in the order of `group`; empty where it does
// not. nodes[p] is the node of the process p.
List scope_members(int scope, const List& group, const std::vector<int>& nodes, int me);

// What `process` brings to a reduce, broadcast or select: its buffer.
Bytes contribution(const Step& step, int process);

// Whether `process` competes in a select.
bool competes(const Step& step, int process);

// What `me` has in its buffer afterwards; `members` are those of its scope.
Bytes outcome(const Step& step, const List& members, int me);

// Of a broadcast over a scope: the root in it.
int root_of(const Step& step, const List& members);

} // namespace oracle
