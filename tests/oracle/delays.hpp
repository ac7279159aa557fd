// Random delays, so that processes and threads meet in many orders: in front of MPI calls, the library's and
// its service thread's included, and wherever a thread happens to be, also inside of MPI or while it holds a
// lock.
#pragma once

namespace oracle {

// `often` in a thousand MPI calls are delayed. From 1 on, a running thread is also stopped at ticks of the
// process's processor time, for up to `often` times 20 microseconds.
void start_delays(int often);
void end_delays();

} // namespace oracle
