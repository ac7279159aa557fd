// Own sockets: those that the library itself has opened, among all that /proc/self/fd lists. Any thread may
// call.
#pragma once

namespace armci::own_sockets {

void add(int descriptor);
void remove(int descriptor); // before it is closed
bool contains(int descriptor);

} // namespace armci::own_sockets
