// Read-modify-write on one int or long of a region: CPU atomics, sequentially consistent, where only this
// node reaches the memory or it has a turn (gmr/network/modes.hpp), and MPI's fetch-and-op otherwise.
#pragma once

namespace armci::gmr {

// Operations in the order of the public enum ARMCI_Rmw_e. `local` points to an int or a long: it receives the
// old value; for a swap it also gives the new one. `value` is what a fetch-and-add adds.
int read_modify_write(const char* call, int operation, void* local, void* remote, int value, int process);

} // namespace armci::gmr
