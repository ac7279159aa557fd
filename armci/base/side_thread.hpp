// Side threads: those of the library's own, beside the program's. The program's signals are not for them.
#pragma once

#include <functional>
#include <thread>

namespace armci {

// Runs `work` in a thread with all signals blocked. Where there can be none, says what is missed, "to watch
// the links", and gives a thread that is not joinable.
std::thread start_beside(const char* to_do_what, std::function<void()> work);

// Asks the system for short turns on a core for the calling thread. Linux 6.12 and later then let it run at
// once when it wakes while another thread has the core; older ones ignore it.
void ask_for_short_turns();

} // namespace armci
