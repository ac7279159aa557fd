// Self-test: whether the library gives right answers on the paths that this job has, and how fast they are.
#pragma once

namespace armci::tools {

// Collective over MPI_COMM_WORLD; MPI runs, the library does not. Prints what came out, by process 0, and
// what is wrong, by who saw it. Returns 0 on every process if all is right.
int selftest();

} // namespace armci::tools
