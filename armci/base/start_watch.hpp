// Start watch: a start over the network that gets no answer from MPI ends with a message, not in silence. MPI
// waits inside its own calls, so a thread beside it looks at the clock; it calls MPI only to end the job.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace armci {

class StartWatch {
public:
    // Process 0 speaks after `patience`; the others, which may be stuck where that does not reach them, a
    // little later. None watches where it is 0.
    StartWatch(int me, std::chrono::seconds patience);
    ~StartWatch(); // the start has succeeded
    StartWatch(const StartWatch&) = delete;
    StartWatch& operator=(const StartWatch&) = delete;

private:
    void watch(std::chrono::seconds patience);

    std::mutex guard_;
    std::condition_variable ended_changed_;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace armci
