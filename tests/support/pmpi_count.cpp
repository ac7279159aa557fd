#include "tests/support/pmpi_count.hpp"

#include <mpi.h>

#include <atomic>
#include <map>

namespace {

thread_local long polls_of_mine = 0;

// One per function, constructed with the program and chained.
struct Counter {
    Counter(const char* counted_name, bool counted_rma)
        : name(counted_name), is_rma(counted_rma), is_poll(is_a_poll(counted_name)), next(first)
    {
        first = this;
    }

    static bool is_a_poll(std::string_view name)
    {
        return name == "MPI_Iprobe" || name == "MPI_Request_get_status";
    }

    void add()
    {
        calls.fetch_add(1, std::memory_order_relaxed);
        if (is_poll)
            ++polls_of_mine;
    }

    const char* name;
    bool is_rma;
    bool is_poll;
    std::atomic<long> calls{0};
    Counter* next;
    static Counter* first;
};

constinit Counter* Counter::first = nullptr;

template <class Counts>
long sum_where(Counts counts)
{
    long sum = 0;
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        if (counts(*c))
            sum += c->calls;
    return sum;
}

} // namespace

namespace pmpi {

void reset()
{
    for (Counter* c = Counter::first; c != nullptr; c = c->next)
        c->calls = 0;
    polls_of_mine = 0;
}

long total()
{
    return sum_where([](const Counter&) { return true; });
}

long rma()
{
    return sum_where([](const Counter& c) { return c.is_rma; });
}

long count(std::string_view name)
{
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        if (name == c->name)
            return c->calls;
    return -1;
}

long polls()
{
    return sum_where([](const Counter& c) { return c.is_poll; });
}

long polls_of_this_thread()
{
    return polls_of_mine;
}

long without_polls()
{
    return sum_where([](const Counter& c) { return !c.is_poll; });
}

std::string report()
{
    std::map<std::string_view, long> called;
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        if (c->calls != 0)
            called[c->name] = c->calls;
    std::string text;
    for (const auto& [name, calls] : called)
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(calls);
    return text;
}

} // namespace pmpi

// Visible to libarmci.so, whose calls are then bound to these.
#pragma GCC visibility push(default)

#define MPI_CALL(one_sided, name, parameters, arguments)                                                     \
    static Counter counter_##name{#name, one_sided};                                                         \
    extern "C" int name parameters                                                                           \
    {                                                                                                        \
        counter_##name.add();                                                                                \
        return P##name arguments;                                                                            \
    }

#include "tests/support/mpi_calls.inc"
