#include "armci/message.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/include/message.h"
#include "armci/runtime.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

namespace armci::message {
namespace {

constexpr int node_tag = 32765;

struct Element {
    MPI_Datatype type;
    MPI_Datatype with_rank; // the pair type that MPI_MINLOC takes
    int size;
    bool integer;
};

Element element(const char* call, int type)
{
    switch (type) {
    case ARMCI_INT: return {MPI_INT, MPI_2INT, sizeof(int), true};
    case ARMCI_LONG: return {MPI_LONG, MPI_LONG_INT, sizeof(long), true};
    case ARMCI_LONG_LONG:
        static_assert(sizeof(long) == sizeof(long long)); // no MPI pair type has a long long
        return {MPI_LONG_LONG, MPI_LONG_INT, sizeof(long long), true};
    case ARMCI_FLOAT: return {MPI_FLOAT, MPI_FLOAT_INT, sizeof(float), false};
    case ARMCI_DOUBLE: return {MPI_DOUBLE, MPI_DOUBLE_INT, sizeof(double), false};
    default: diag::fatal(call, "type is %d; it must be %d (ARMCI_INT) to %d (ARMCI_DOUBLE)", type, ARMCI_INT, ARMCI_DOUBLE);
    }
}

template <class T> void absolute_values(void* x, int count)
{
    auto* const values = static_cast<T*>(x);
    std::transform(values, values + count, values, [](T value) { return static_cast<T>(std::abs(value)); });
}

// absmin and absmax compare and give absolute values: the minimum or maximum of those.
void take_absolute_values(void* x, int count, int type)
{
    switch (type) {
    case ARMCI_INT: absolute_values<int>(x, count); break;
    case ARMCI_LONG: absolute_values<long>(x, count); break;
    case ARMCI_LONG_LONG: absolute_values<long long>(x, count); break;
    case ARMCI_FLOAT: absolute_values<float>(x, count); break;
    default: absolute_values<double>(x, count); break;
    }
}

// The MPI operator for ARMCI's; prepares x where the operator asks for absolute values.
MPI_Op prepare(const char* call, std::string_view operation, void* x, int count, int type, const Element& kind)
{
    if (operation == "absmin" || operation == "absmax") {
        take_absolute_values(x, count, type);
        return operation == "absmin" ? MPI_MIN : MPI_MAX;
    }
    if (operation == "+") return MPI_SUM;
    if (operation == "*") return MPI_PROD;
    if (operation == "min") return MPI_MIN;
    if (operation == "max") return MPI_MAX;
    if (operation == "or" && kind.integer) return MPI_BOR;
    if (operation == "or") diag::fatal(call, "operator 'or' takes integers only; the type is %d", type);
    diag::fatal(call, "operator '%.*s' is unknown; it must be one of + * min max absmin absmax or",
                static_cast<int>(operation.size()), operation.data());
}

void check_buffer(const char* call, const void* x, int count)
{
    if (count < 0) diag::fatal(call, "the number of elements is %d; it must not be negative", count);
    if (count > 0 && x == nullptr) diag::fatal(call, "the buffer is NULL; it must hold %d elements", count);
}

// A scope's processes. The job is one node: a node is the whole group, and its first member is the only master.
struct Scope {
    MPI_Comm comm;
    bool takes_part;
    int size;
};

Scope scope_of(const char* call, int scope, Group& group)
{
    switch (scope) {
    case SCOPE_ALL:
    case SCOPE_NODE: return {group.comm(), true, group.size()};
    case SCOPE_MASTERS: return {MPI_COMM_SELF, group.rank() == 0, 1};
    default:
        diag::fatal(call, "scope is %d; it must be %d (SCOPE_ALL), %d (SCOPE_NODE) or %d (SCOPE_MASTERS)", scope, SCOPE_ALL,
                    SCOPE_NODE, SCOPE_MASTERS);
    }
}

// Keys that lose to every contributor's, or tie with it.
template <class Key>
constexpr Key worst_of_least =
    std::numeric_limits<Key>::has_infinity ? std::numeric_limits<Key>::infinity() : std::numeric_limits<Key>::max();

template <class Key>
constexpr Key worst_of_greatest =
    std::numeric_limits<Key>::has_infinity ? -std::numeric_limits<Key>::infinity() : std::numeric_limits<Key>::lowest();

template <class Key>
int winner(const Scope& scope, const Element& kind, MPI_Op op, const void* x, bool contribute, bool least)
{
    struct {
        Key key;
        int rank;
    } mine{}, best{};
    if (contribute)
        std::memcpy(&mine.key, x, sizeof mine.key);
    else
        mine.key = least ? worst_of_least<Key> : worst_of_greatest<Key>;
    int rank = 0;
    mpi::check(MPI_Comm_rank(scope.comm, &rank), "MPI_Comm_rank");
    mine.rank = contribute ? rank : INT_MAX; // loses every tie
    mpi::check(MPI_Allreduce(&mine, &best, 1, kind.with_rank, op, scope.comm), "MPI_Allreduce");
    return best.rank;
}

} // namespace

void bcast(const char* call, int scope, void* buffer, int bytes, int root, Group& group)
{
    check_buffer(call, buffer, bytes);
    if (root < 0 || root >= group.size())
        diag::fatal(call, "root is %d; it must be 0 to %d", root, group.size() - 1);
    const Scope members = scope_of(call, scope, group);
    if (!members.takes_part || members.size == 1) return;
    mpi::check(MPI_Bcast(buffer, bytes, MPI_BYTE, root, members.comm), "MPI_Bcast");
}

void combine(const char* call, int scope, void* x, int count, const char* operation, int type, Group& group)
{
    check_buffer(call, x, count);
    const Element kind = element(call, type);
    const Scope members = scope_of(call, scope, group);
    if (!members.takes_part) return;
    const MPI_Op op = prepare(call, operation, x, count, type, kind);
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, x, count, kind.type, op, members.comm), "MPI_Allreduce");
}

void reduce(const char* call, int scope, void* x, int count, const char* operation, int type, Group& group)
{
    check_buffer(call, x, count);
    const Element kind = element(call, type);
    const Scope members = scope_of(call, scope, group);
    if (!members.takes_part) return;
    const MPI_Op op = prepare(call, operation, x, count, type, kind);
    int rank = 0;
    mpi::check(MPI_Comm_rank(members.comm, &rank), "MPI_Comm_rank");
    mpi::check(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, count, kind.type, op, 0, members.comm), "MPI_Reduce");
}

void select(const char* call, int scope, void* x, int bytes, const char* operation, int type, bool contribute,
            Group& group)
{
    check_buffer(call, x, bytes);
    const Element kind = element(call, type);
    if (bytes < kind.size) diag::fatal(call, "the record has %d bytes; its first element has %d", bytes, kind.size);
    const bool least = std::strcmp(operation, "min") == 0;
    if (!least && std::strcmp(operation, "max") != 0)
        diag::fatal(call, "operator '%s' is unknown here; it must be min or max", operation);
    const Scope members = scope_of(call, scope, group);
    if (!members.takes_part) return;

    const MPI_Op op = least ? MPI_MINLOC : MPI_MAXLOC;
    int root = 0;
    switch (type) {
    case ARMCI_INT: root = winner<int>(members, kind, op, x, contribute, least); break;
    case ARMCI_LONG:
    case ARMCI_LONG_LONG: root = winner<long>(members, kind, op, x, contribute, least); break;
    case ARMCI_FLOAT: root = winner<float>(members, kind, op, x, contribute, least); break;
    default: root = winner<double>(members, kind, op, x, contribute, least); break;
    }
    if (root == INT_MAX) return; // nobody contributed
    mpi::check(MPI_Bcast(x, bytes, MPI_BYTE, root, members.comm), "MPI_Bcast");
}

Tree binary_tree(const char* call, int scope, Group& group)
{
    const Scope members = scope_of(call, scope, group);
    Tree tree{group.absolute(0), -1, -1, -1};
    if (!members.takes_part || members.size == 1) return tree;
    const int rank = group.rank();
    const auto at = [&](int place) { return place < members.size ? group.absolute(place) : -1; };
    if (rank > 0) tree.up = at((rank - 1) / 2);
    tree.left = at(2 * rank + 1);
    tree.right = at(2 * rank + 2);
    return tree;
}

void send(const char* call, int tag, const void* buffer, int bytes, int to)
{
    check_buffer(call, buffer, bytes);
    Group& world = running_or_end(call).groups().world();
    if (to < 0 || to >= world.size()) diag::fatal(call, "process %d does not exist; it must be 0 to %d", to, world.size() - 1);
    mpi::check(MPI_Send(buffer, bytes, MPI_BYTE, to, tag, world.comm()), "MPI_Send");
}

int receive(const char* call, int tag, void* buffer, int capacity, int* received, int from)
{
    check_buffer(call, buffer, capacity);
    Group& world = running_or_end(call).groups().world();
    if (from >= world.size()) diag::fatal(call, "process %d does not exist; it must be 0 to %d", from, world.size() - 1);
    MPI_Status status;
    mpi::check(MPI_Recv(buffer, capacity, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, world.comm(), &status),
               "MPI_Recv");
    int bytes = 0;
    mpi::check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (received != nullptr) *received = bytes;
    return status.MPI_SOURCE;
}

void bcast_to_node(const char* call, void* buffer, int bytes, int master, int count, Group& group)
{
    check_buffer(call, buffer, bytes);
    if (master < 0 || count < 1 || master + count > group.size())
        diag::fatal(call, "master %d and %d processes do not fit a group of %d", master, count, group.size());
    if (group.rank() != master) {
        mpi::check(MPI_Recv(buffer, bytes, MPI_BYTE, master, node_tag, group.comm(), MPI_STATUS_IGNORE), "MPI_Recv");
        return;
    }
    for (int rank = master + 1; rank < master + count; ++rank)
        mpi::check(MPI_Send(buffer, bytes, MPI_BYTE, rank, node_tag, group.comm()), "MPI_Send");
}

} // namespace armci::message
