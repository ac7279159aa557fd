// Carries out a program on ARMCI and compares with the truth.
#pragma once

#include "tests/oracle/truth.hpp"

#include <armcix.h>
#include <cstddef>
#include <mpi.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <mutex>

namespace oracle {

// In front of and behind each buffer.
inline constexpr long guard = 32;
inline constexpr auto guard_byte = std::byte{0xa5};

// The place of each process in its program, for the watchdog.
struct Position {
    std::atomic<long> step{-1};
    std::atomic<long> moves{0}; // steps begun since the start
};

// What the oracle's own tests break: memory behind its back, or a process that never comes to the end of a
// round.
enum class Spoils { nothing, byte, hang };

// As calls of ARMCI take them.
inline std::vector<int> ints(const List& list)
{
    return {list.begin(), list.end()};
}

class Executor {
public:
    // `comm`: all processes, for the oracle's own messages. `asks_for_access`: the oracle itself reads and
    // writes memory between ARMCI_Access_begin and ARMCI_Access_end only.
    Executor(const Program& program, MPI_Comm comm, Position& position, Spoils spoils, bool asks_for_access);

    // Collective. Prints what this process finds wrong; returns whether all found all right.
    bool run();

    long operations() const { return operations_.load(); }

private:
    // A step of mine: what is expected, and the buffer that it is carried out with.
    struct Task {
        Expected expected;
        std::vector<std::byte> heap; // the buffer between guards
        void* local = nullptr;       // the same in memory of ARMCI_Malloc_local
        std::byte* buffer = nullptr;
        bool is_done = false;
    };

    void prepare(int from, int to);
    void make_buffer(const Step& step, Task& task);
    void run_round(int from, int to);
    void run_thread(int thread, int from, int to);
    void carry_out(int index);
    bool is_collective(const Step& step) const;
    bool concerns(const Step& step, int thread) const;

    void collective(int index);
    void group(const Step& step);
    void allocate(const Step& step);
    void free_region(int id);
    void message_of_all(int index);
    void make_mutexes(const Step& step);
    void free_mutexes();
    void fill_block(const Step& step);

    void transfer(int index);
    void flagged(int index);
    void rmw(int index);
    void direct(int index);
    void section(int index);
    void pass(int index);
    void message(int index);
    void copy(int index);
    void complete(int index);
    void look(int index); // compares the buffer of a step that is complete
    void look_at_all(int before, int actor, int how, int target); // of steps before that one

    void sync(int index, int from);
    void spoil();
    void compare_memory(int check);
    void tear_down();
    void report(int index, const std::string& text);
    void note(int index, long found);

    std::byte* address(int region, int target, long at) const;
    // Own memory by loads and stores while it lives.
    class DirectAccess {
    public:
        DirectAccess(const Executor& executor, void* own) : own_(executor.asks_for_access_ ? own : nullptr)
        {
            if (own_ != nullptr)
                ARMCI_Access_begin(own_);
        }
        ~DirectAccess()
        {
            if (own_ != nullptr)
                ARMCI_Access_end(own_);
        }
        DirectAccess(const DirectAccess&) = delete;
        DirectAccess& operator=(const DirectAccess&) = delete;

    private:
        void* own_;
    };
    bool has_part(int group) const;
    const Step& step_at(int index) const { return program_.steps[static_cast<std::size_t>(index)]; }
    int process_of(int actor) const { return actor / program_.threads; }

    const Program& program_;
    MPI_Comm comm_;
    Position& position_;
    Spoils spoils_;
    bool asks_for_access_;
    int me_ = 0;
    Truth truth_;
    std::map<int, ARMCI_Group> groups_;
    std::map<int, std::vector<void*>> bases_; // of each process
    std::map<int, Task> tasks_;
    std::vector<std::vector<armci_hdl_t>> handles_; // of each thread
    bool has_mutexes_ = false;
    armcix_mutex_hdl_t mutex_set_ = nullptr;
    std::vector<Event> events_;
    std::mutex lock_; // of events_ and wrong_count_
    int wrong_count_ = 0;
    std::unique_ptr<std::barrier<>> meeting_; // of my threads
    std::atomic<long> operations_{0};
};

} // namespace oracle
