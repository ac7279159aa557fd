// Orphan watch: ends a process whose launcher is gone.
//
// Launchers take their processes along when they end, unless what started the process is itself killed
// (MPICH's proxy, the prterun of Open MPI 5). Then the others of the job may be gone too, and a wait for them
// would never end. So waits look, and a thread looks once a second, for processes that move data and wait for
// nobody. (PR_SET_PDEATHSIG would do without one, but it fires when the thread that forked the process ends,
// not the parent.)
//
// The first process of a PID namespace has the parent 0, before and after: what made the namespace must end
// it, as a container's runtime and `unshare --kill-child` do.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace armci {

class OrphanWatch {
public:
    // The parent had better live as long as this object. `watches`: with a thread.
    explicit OrphanWatch(bool watches);
    ~OrphanWatch();
    OrphanWatch(const OrphanWatch&) = delete;
    OrphanWatch& operator=(const OrphanWatch&) = delete;

    // A rank of Open MPI 5 whose launcher dies while it is in MPI_Init waits there for ever, or goes on as a
    // job of one. For MPI_Init, a watch that has a thread where the process was started as one of several;
    // and after it, the end of one that was, and has a world of its own.
    static OrphanWatch of_start();
    static void check_world();

    // Does not return where the parent is another one.
    static void leave_if_orphaned();

private:
    void watch();

    std::mutex guard_;
    std::condition_variable ended_changed_;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace armci
