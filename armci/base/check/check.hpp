// Checks (ARMCI_CHECK): what a program does wrong with others' memory, its buffers, and its collective calls.
//
// Every operation of a process is written down with the bytes that it touches. At each barrier of the world
// the notes go to the owners of the memory, which look for accesses that nothing orders (order.hpp,
// races.hpp). What the library sees is all that counts: messages that the program sends by MPI itself order
// nothing here. Findings are said, and counted at the end; what the program computes does not change.
//
// Off, it costs what observation costs (observe.hpp). Callable from any thread.
#pragma once

#include "armci/base/check/loans.hpp"
#include "armci/base/check/races.hpp"

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace armci::check {

[[gnu::visibility("hidden")]] extern bool active;

// Draws a ticket from a counter of the job.
using Ticket = std::uint64_t (*)();

// Checks from here on, in a job of so many processes, until stop(); nothing is seen before a ticket can be
// drawn.
void start(int me, int processes);
void set_ticket(Ticket ticket);
// Collective over the world, which stops there: says what is left undone, and how many findings there were.
void stop(MPI_Comm world);

// --- Operations ---

// One that is on its way, or over. Its footprint is noted segment by segment; on its end it is compared with
// buffers that are lent, and lends its own if it does not block.
class Operation {
public:
    // `handle` counts where it does not block.
    Operation(const char* call, Access access, int process, bool blocking, const void* handle)
        : call_(call), handle_(handle), process_(process), access_(access), blocking_(blocking)
    {
    }
    // Remote and local bytes.
    void segment(const void* remote, const void* local, std::uint64_t bytes);
    void end();

private:
    const char* call_;
    const void* handle_;
    int process_;
    Access access_;
    bool blocking_;
    std::vector<Bytes> remote_;
    std::vector<Bytes> local_;
};

// Of one segment.
[[gnu::cold, gnu::noinline]] void operation(const char* call, Access access, int process, const void* remote,
                                            const void* local, std::uint64_t bytes, bool blocking,
                                            const void* handle);

// A handle is waited for; is made new; everything with a process (all: -1) is complete: with handles, too,
// and gets, too.
void waited(const char* call, const void* handle);
void renewed(const char* call, const void* handle);
void completed(const char* call, int process, bool those_with_handles, bool those_written);

// --- Synchronisation ---

enum class Object : std::uint8_t { mutex, word, notify, message, collective };

// What processes synchronise by: a mutex of a set, a word of a process, the n-th notify or message of a pair,
// the n-th collective call of a group.
std::uint64_t object(Object sort, std::uint64_t a, std::uint64_t b, std::uint64_t c = 0);
void release(std::uint64_t object);
void acquire(std::uint64_t object);

// One that every process of the job has come to. Collective over `world`: looks for races since the last.
void barrier(MPI_Comm world);

// --- Collective calls ---

// Collective over `comm`: ends the job where its processes are in different calls, or give `first` or
// `second` differently. `me` is my absolute id.
void agree(const char* call, MPI_Comm comm, std::int64_t first = 0, std::int64_t second = 0);

// --- Regions ---

void allocated(const char* call, const void* start, std::int64_t bytes);
void freed(const void* start);

} // namespace armci::check
