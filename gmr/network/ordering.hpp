// Ordering: how puts and gets are kept in order. MPI promises none between a put and a later put or get of
// the same origin, but does keep accumulates in order (MPI-3, 11.7.2); so puts and gets are accumulates with
// MPI_REPLACE and MPI_NO_OP where ARMCI_ORDERING says so.
#pragma once

#include "armci/base/settings.hpp"
#include "gmr/network/access.hpp"

#include <cstdint>

namespace armci::gmr::ordering {

// The probe has replaced `automatic`; where none ran it means accumulates.
void set(Ordering ordering);
bool by_accumulates();
// What a put of `bytes`, and a get, are.
Access put_access(std::uint64_t bytes);
Access get_access();

} // namespace armci::gmr::ordering
