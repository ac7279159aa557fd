#include "gmr/rmw.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/cpu_turn.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/progress_turn.hpp"
#include "gmr/transfer/messaged.hpp"
#include "gmr/transfer/remote.hpp"

#include <atomic>
#include <cstring>

namespace armci::gmr {
namespace {

enum Operation { fetch_and_add, fetch_and_add_long, swap, swap_long, operations };

template <class T>
void apply(bool add, void* local, std::byte* remote, int value)
{
    std::atomic_ref<T> word(*reinterpret_cast<T*>(remote));
    T operand{};
    if (!add)
        std::memcpy(&operand, local, sizeof operand);
    const T old = add ? word.fetch_add(value) : word.exchange(operand);
    std::memcpy(local, &old, sizeof old);
}

template <class T>
void apply_remotely(bool add, void* local, const Target& target, const void* address, int value,
                    MPI_Datatype type)
{
    T operand{value};
    if (!add)
        std::memcpy(&operand, local, sizeof operand);
    T old{};
    if (remote::sends_messages()) {
        using active_messages::Operation;
        const active_messages::Fetch fetch{reinterpret_cast<std::uintptr_t>(address),
                                           add ? Operation::add : Operation::swap, sizeof(T),
                                           active_messages::widened(operand), 0};
        old = active_messages::narrowed<T>(ActiveMessages::the_one()->fetch(target.process, fetch));
    } else {
        remote::fetch_and_op(target, type, add ? MPI_SUM : MPI_REPLACE, &operand, &old);
    }
    std::memcpy(local, &old, sizeof old);
}

// What orders processes that change the same word.
std::uint64_t word_of(int process, const void* remote)
{
    return check::object(check::Object::word, static_cast<std::uint64_t>(process),
                         reinterpret_cast<std::uintptr_t>(remote));
}

[[gnu::cold, gnu::noinline]] observe::Nanoseconds begin_observed(int process, const void* remote)
{
    if (check::active)
        check::release(word_of(process, remote));
    return observe::now();
}

[[gnu::cold, gnu::noinline]] void saw(const observe::Operation& operation, const void* local,
                                      std::size_t size, bool load_store)
{
    operation.saw(static_cast<std::int64_t>(size), load_store);
    if (!check::active)
        return;
    check::acquire(word_of(operation.process, operation.address));
    check::operation(operation.call, check::Access::atomic, operation.process, operation.address, local, size,
                     true, nullptr);
}

} // namespace

int read_modify_write(const char* call, int operation, void* local, void* remote, int value, int process)
{
    if (operation < 0 || operation >= operations)
        return diag::reject(call,
                            "operation is %d; it must be 0 (ARMCI_FETCH_AND_ADD) to %d (ARMCI_SWAP_LONG)",
                            operation, operations - 1);
    const bool is_long = operation == fetch_and_add_long || operation == swap_long;
    const std::size_t size = is_long ? sizeof(long) : sizeof(int);
    if (local == nullptr)
        return diag::reject(call, "the local buffer is NULL; it must hold %zu bytes", size);
    if (reinterpret_cast<std::uintptr_t>(remote) % size != 0)
        return diag::reject(call, "target address %p is misaligned; it must be a multiple of %zu", remote,
                            size);
    const observe::Operation observed{call, observe::Kind::rmw, process, remote,
                                      observe::active ? begin_observed(process, remote) : 0};
    CpuTurn turn(process, Access::fetch_and_op);
    const Target target = locate_atomic(call, process, remote, size, turn);
    if (target.error != 0)
        return target.error;

    const bool add = operation == fetch_and_add || operation == fetch_and_add_long;
    if (target.use_load_store()) {
        if (is_long)
            apply<long>(add, local, target.local, value);
        else
            apply<int>(add, local, target.local, value);
    } else if (is_long) {
        apply_remotely<long>(add, local, target, remote, value, MPI_LONG);
    } else {
        apply_remotely<int>(add, local, target, remote, value, MPI_INT);
    }
    turn.end(); // what follows may call MPI
    if (observe::active) [[unlikely]]
        saw(observed, local, size, target.use_load_store());
    end_operation(static_cast<std::int64_t>(size), target.use_load_store());
    return 0;
}

} // namespace armci::gmr
