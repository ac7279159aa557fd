#include "tests/oracle/held.hpp"

#include "tests/oracle/program.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

namespace oracle::held {

namespace {

constexpr std::size_t most_held = 500;
constexpr int all_ranks = -1;

#ifdef OPEN_MPI
constexpr std::size_t ordered_put_bytes = 4096;
#else
constexpr std::size_t ordered_put_bytes = 0;
#endif

// The copy lives until a flush has completed the operation.
struct Held {
    std::vector<std::byte> source;
    int count;
    MPI_Datatype type;
    int rank;
    MPI_Aint place;
    int target_count;
    MPI_Datatype target_type;
    MPI_Op op; // MPI_OP_NULL: a put
    MPI_Win window;
    bool is_issued = false;
};

std::atomic<int> percent{0};
std::mutex guard;
std::vector<Held> held;
unsigned long draws = 0;

unsigned long draw()
{
    return mix(++draws);
}

bool is_predefined(MPI_Datatype type)
{
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

bool holds(MPI_Datatype type, MPI_Datatype target_type)
{
    return percent > 0 && static_cast<int>(draw() % 100) < percent && held.size() < most_held &&
           is_predefined(type) && is_predefined(target_type);
}

void hold(const void* source, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
          MPI_Datatype target_type, MPI_Op op, MPI_Win window)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    std::vector<std::byte> copy(static_cast<std::size_t>(size) * static_cast<std::size_t>(count));
    if (!copy.empty())
        std::memcpy(copy.data(), source, copy.size());
    held.push_back({std::move(copy), count, type, rank, place, target_count, target_type, op, window, false});
}

int issue(Held& one)
{
    one.is_issued = true;
    return one.op == MPI_OP_NULL
               ? PMPI_Put(one.source.data(), one.count, one.type, one.rank, one.place, one.target_count,
                          one.target_type, one.window)
               : PMPI_Accumulate(one.source.data(), one.count, one.type, one.rank, one.place,
                                 one.target_count, one.target_type, one.op, one.window);
}

bool is_at(const Held& one, int rank, MPI_Win window)
{
    return one.window == window && (rank == all_ranks || one.rank == rank);
}

bool keeps_order(const Held& one)
{
    return one.op != MPI_OP_NULL || one.source.size() <= ordered_put_bytes;
}

// Before an operation that is not held.
int issue_ordered(int rank, MPI_Win window)
{
    int result = MPI_SUCCESS;
    for (Held& one : held)
        if (is_at(one, rank, window) && !one.is_issued && keeps_order(one))
            result = std::max(result, issue(one));
    return result;
}

// Large puts in any order.
int issue_all(int rank, MPI_Win window)
{
    int result = issue_ordered(rank, window);
    std::vector<Held*> puts;
    for (Held& one : held)
        if (is_at(one, rank, window) && !one.is_issued)
            puts.push_back(&one);
    for (std::size_t i = puts.size(); i-- > 0;) {
        std::swap(puts[i], puts[draw() % (i + 1)]);
        result = std::max(result, issue(*puts[i]));
    }
    return result;
}

// Completes what is held, by `call`.
template <class Call>
int complete(int rank, MPI_Win window, Call call)
{
    if (percent == 0)
        return call();
    const std::lock_guard lock(guard);
    const int issued = issue_all(rank, window);
    const int result = call();
    std::erase_if(held, [&](const Held& one) { return is_at(one, rank, window); });
    return std::max(issued, result);
}

template <class Call>
int in_order(int rank, MPI_Win window, Call call)
{
    if (percent == 0)
        return call();
    const std::lock_guard lock(guard);
    const int issued = issue_ordered(rank, window);
    return std::max(issued, call());
}

} // namespace

void start(int new_percent)
{
    percent = new_percent;
}

int MPI_Put(const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h)
{
    if (percent > 0) {
        const std::lock_guard lock(guard);
        if (holds(c, g)) {
            hold(a, b, c, d, e, f, g, MPI_OP_NULL, h);
            return MPI_SUCCESS;
        }
    }
    return in_order(d, h, [=] { return PMPI_Put(a, b, c, d, e, f, g, h); });
}

int MPI_Get(void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h)
{
    return in_order(d, h, [=] { return PMPI_Get(a, b, c, d, e, f, g, h); });
}

int MPI_Rput(const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h,
             MPI_Request* i)
{
    return in_order(d, h, [=] { return PMPI_Rput(a, b, c, d, e, f, g, h, i); });
}

int MPI_Rget(void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h,
             MPI_Request* i)
{
    return in_order(d, h, [=] { return PMPI_Rget(a, b, c, d, e, f, g, h, i); });
}

int MPI_Accumulate(const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Op h,
                   MPI_Win i)
{
    if (percent > 0) {
        const std::lock_guard lock(guard);
        if (holds(c, g)) {
            hold(a, b, c, d, e, f, g, h, i);
            return MPI_SUCCESS;
        }
    }
    return in_order(d, i, [=] { return PMPI_Accumulate(a, b, c, d, e, f, g, h, i); });
}

int MPI_Get_accumulate(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g,
                       MPI_Aint h, int i, MPI_Datatype j, MPI_Op k, MPI_Win l)
{
    return in_order(g, l, [=] { return PMPI_Get_accumulate(a, b, c, d, e, f, g, h, i, j, k, l); });
}

int MPI_Raccumulate(const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Op h,
                    MPI_Win i, MPI_Request* j)
{
    return in_order(d, i, [=] { return PMPI_Raccumulate(a, b, c, d, e, f, g, h, i, j); });
}

int MPI_Rget_accumulate(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g,
                        MPI_Aint h, int i, MPI_Datatype j, MPI_Op k, MPI_Win l, MPI_Request* m)
{
    return in_order(g, l, [=] { return PMPI_Rget_accumulate(a, b, c, d, e, f, g, h, i, j, k, l, m); });
}

int MPI_Fetch_and_op(const void* a, void* b, MPI_Datatype c, int d, MPI_Aint e, MPI_Op f, MPI_Win g)
{
    return in_order(d, g, [=] { return PMPI_Fetch_and_op(a, b, c, d, e, f, g); });
}

int MPI_Compare_and_swap(const void* a, const void* b, void* c, MPI_Datatype d, int e, MPI_Aint f, MPI_Win g)
{
    return in_order(e, g, [=] { return PMPI_Compare_and_swap(a, b, c, d, e, f, g); });
}

int MPI_Win_flush(int a, MPI_Win b)
{
    return complete(a, b, [=] { return PMPI_Win_flush(a, b); });
}

int MPI_Win_flush_all(MPI_Win a)
{
    return complete(all_ranks, a, [=] { return PMPI_Win_flush_all(a); });
}

int MPI_Win_unlock(int a, MPI_Win b)
{
    return complete(a, b, [=] { return PMPI_Win_unlock(a, b); });
}

int MPI_Win_unlock_all(MPI_Win a)
{
    return complete(all_ranks, a, [=] { return PMPI_Win_unlock_all(a); });
}

int MPI_Win_free(MPI_Win* a)
{
    return complete(all_ranks, *a, [=] { return PMPI_Win_free(a); });
}

} // namespace oracle::held
