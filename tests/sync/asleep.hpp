// Tells when another thread or process of this machine sleeps in the kernel. One that has announced a
// blocking call and sleeps is in the queue of that call, so a test can let waiters come in an order that it
// knows.
#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace armci_test {

// 'S' for a sleeper, 'R' for one that runs or wants to; '?' when there is no such thread.
inline char thread_state(int process_id, int thread_id)
{
    std::ifstream file("/proc/" + std::to_string(process_id) + "/task/" + std::to_string(thread_id) +
                       "/stat");
    std::string line;
    std::getline(file, line);
    const auto end_of_name = line.rfind(')');
    return end_of_name == std::string::npos || end_of_name + 2 >= line.size() ? '?' : line[end_of_name + 2];
}

inline void await_sleep(int process_id, int thread_id)
{
    while (thread_state(process_id, thread_id) != 'S')
        std::this_thread::sleep_for(std::chrono::microseconds(200));
}

} // namespace armci_test
