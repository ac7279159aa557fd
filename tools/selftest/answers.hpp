// Whether answers are right. Each check says what is wrong by wrong().
#pragma once

#include "tools/selftest/job.hpp"

namespace armci::tools {

// Contiguous transfers of many lengths, there, back, and added to.
void check_contiguous(const Partner& partner);

// A patch of a two-dimensional array: put and added to by strided calls, got by a vector call.
void check_patches(const Partner& partner);

// My later operations on the same memory find what my earlier ones did.
void check_order(const Partner& partner);

// A put before a notify is there when the notify is; `from` works on my_area as I do on the partner's. All
// that have a partner of the sort call this at once.
void check_notify(const Partner& partner, int from, const double* my_area);

// Everybody draws numbers from one counter, each of which must come once, and adds to one sum. Collective.
void check_counter(const Job& job, int owner);

// What only one may do at a time. Collective; ARMCI_Create_mutexes(1) was called.
void check_mutex(const Job& job, int owner);

} // namespace armci::tools
