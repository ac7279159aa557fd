#include "armci/message.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/observe.hpp"
#include "armci/base/wait.hpp"
#include "armci/include/message.h"
#include "armci/message_by_nodes.hpp"
#include "armci/message_tags.hpp"
#include "armci/reduction.hpp"
#include "armci/runtime.hpp"
#include "gmr/world_barrier.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace armci::message {
namespace {

void check_buffer(const char* call, const void* x, int count)
{
    if (count < 0)
        diag::fatal(call, "the number of elements is %d; it must not be negative", count);
    if (count > 0 && x == nullptr)
        diag::fatal(call, "the buffer is NULL; it must hold %d elements", count);
}

// MPI's collectives spin, and take tens of milliseconds where processes share cores; memory does it then at
// any size, and messages of one process of each node. Where each process has a core, MPI's algorithms win
// once vectors are long.
bool by_nodes_is_best(const Scope& scope, std::size_t bytes)
{
    constexpr std::size_t most = 64 * 1024;
    return scope.team != nullptr && scope.size > 1 && (bytes <= most || wait::spin_rounds() == 0);
}

by_nodes::Among among_nodes(const Scope& scope)
{
    return {*scope.team, scope.spans_nodes};
}

mpi::Fold fold_of(MPI_Op op, int type, const Element& kind)
{
    const auto size = static_cast<std::size_t>(kind.size);
    return [=](std::byte* into, const std::byte* from, std::size_t bytes) {
        fold(into, from, bytes / size, op, type);
    };
}

void bcast(const Scope& scope, void* buffer, int bytes, int root)
{
    const auto length = static_cast<std::size_t>(bytes);
    if (by_nodes_is_best(scope, length) || (scope.team != nullptr && scope.spans_nodes))
        by_nodes::bcast(among_nodes(scope), buffer, length, root);
    else if (scope.size > 1)
        mpi::check(MPI_Bcast(buffer, bytes, MPI_BYTE, root, scope.comm), "MPI_Bcast");
}

// Keys that lose to every contributor's, or tie with it.
template <class Key>
constexpr Key worst_of_least = std::numeric_limits<Key>::has_infinity ? std::numeric_limits<Key>::infinity()
                                                                      : std::numeric_limits<Key>::max();

template <class Key>
constexpr Key worst_of_greatest = std::numeric_limits<Key>::has_infinity
                                      ? -std::numeric_limits<Key>::infinity()
                                      : std::numeric_limits<Key>::lowest();

template <class Key>
struct Entry {
    Key key{};
    int rank = INT_MAX; // loses every tie
};

template <class Key>
Entry<Key> entry_of(const Scope& scope, const void* x, bool contribute, bool least)
{
    Entry<Key> mine;
    mine.key = least ? worst_of_least<Key> : worst_of_greatest<Key>;
    if (contribute) {
        std::memcpy(&mine.key, x, sizeof mine.key);
        mine.rank = scope.rank;
    }
    return mine;
}

// Each entry has its record behind it.
template <class Key>
void select_by_nodes(const Scope& scope, const Entry<Key>& mine, void* x, std::size_t bytes, bool least)
{
    std::vector<std::byte> best(sizeof mine + bytes);
    std::memcpy(best.data(), &mine, sizeof mine);
    std::memcpy(&best[sizeof mine], x, bytes);
    const auto take_better = [least](std::byte* into, const std::byte* from, std::size_t length) {
        Entry<Key> one;
        Entry<Key> other;
        std::memcpy(&one, into, sizeof one);
        std::memcpy(&other, from, sizeof other);
        const bool is_better = least ? other.key < one.key : one.key < other.key;
        if (is_better || (other.key == one.key && other.rank < one.rank))
            std::memcpy(into, from, length);
    };
    by_nodes::combine(among_nodes(scope), best.data(), best.size(), best.size(), take_better);
    Entry<Key> winner;
    std::memcpy(&winner, best.data(), sizeof winner);
    if (winner.rank != INT_MAX) // otherwise none contributed
        std::memcpy(x, &best[sizeof mine], bytes);
}

template <class Key>
void select(const Scope& scope, const Element& kind, void* x, int bytes, bool contribute, bool least)
{
    const Entry<Key> mine = entry_of<Key>(scope, x, contribute, least);
    const auto length = static_cast<std::size_t>(bytes);
    if (scope.size == 1)
        return;
    if (by_nodes_is_best(scope, length) && sizeof mine + length <= gmr::Team::slot_bytes)
        return select_by_nodes(scope, mine, x, length, least);
    Entry<Key> best;
    const MPI_Op op = least ? MPI_MINLOC : MPI_MAXLOC;
    mpi::check(MPI_Allreduce(&mine, &best, 1, kind.with_rank, op, scope.comm), "MPI_Allreduce");
    if (best.rank != INT_MAX)
        bcast(scope, x, bytes, best.rank);
}

// A collective message under ARMCI_CHECK: all of `among` are in the same one, and what who gives did before
// it is ordered before what who takes does after it.
class CheckedMessage {
public:
    CheckedMessage(const char* call, const Scope& among, const Members& members, bool gives, bool takes,
                   std::int64_t first = 0, std::int64_t second = 0)
    {
        if (!check::active) [[likely]]
            return;
        const int first_member = members.absolute(among.ranks.empty() ? 0 : among.ranks.front());
        object_ = check::object(check::Object::collective, static_cast<std::uint64_t>(first_member),
                                static_cast<std::uint64_t>(among.size));
        takes_ = takes;
        check::agree(call, among.comm, first, second);
        if (gives)
            check::release(object_);
    }
    ~CheckedMessage()
    {
        if (takes_)
            check::acquire(object_);
    }
    CheckedMessage(const CheckedMessage&) = delete;
    CheckedMessage& operator=(const CheckedMessage&) = delete;

private:
    std::uint64_t object_ = 0;
    bool takes_ = false;
};

std::uint64_t message_object(int from, int to, int tag)
{
    return check::object(check::Object::message, static_cast<std::uint64_t>(from),
                         static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(tag));
}

} // namespace

void barrier(const Members& members)
{
    const observe::Waiting waiting("armci_msg_barrier", observe::Wait::message);
    const CheckedMessage checked("armci_msg_barrier", scope_of("armci_msg_barrier", SCOPE_ALL, members),
                                 members, true, true);
    if (members.group() == nullptr) {
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check(MPI_Ibarrier(members.comm(), &request), "MPI_Ibarrier");
        mpi::finish(request);
        return;
    }
    Group& group = *members.group();
    if (&group != &running_or_end("armci_msg_barrier").groups().world())
        return static_cast<void>(group.team().barrier());
    gmr::world_barrier(group.team());
    if (check::active) [[unlikely]]
        check::barrier(group.team().comm());
}

void bcast(const char* call, int scope, void* buffer, int bytes, int root, const Members& members)
{
    check_buffer(call, buffer, bytes);
    const observe::Waiting waiting(call, observe::Wait::message);
    if (root < 0 || root >= members.processes())
        diag::fatal(call, "root is %d; it must be 0 to %d", root, members.processes() - 1);
    const int rank = members.rank_of(root);
    if (rank < 0)
        diag::fatal(call, "root is process %d, which is no member of the group", root);
    const Scope among = scope_of(call, scope, members);
    if (!among.takes_part)
        return;
    const int giver = rank_in(call, among, rank, root);
    const CheckedMessage checked(call, among, members, among.rank == giver, among.rank != giver, bytes,
                                 giver);
    bcast(among, buffer, bytes, giver);
}

void bcast_on_node(const char* call, void* buffer, int bytes)
{
    check_buffer(call, buffer, bytes);
    const observe::Waiting waiting(call, observe::Wait::message);
    const Members world = Members::of_world(call);
    const Scope among = scope_of(call, SCOPE_NODE, world);
    const CheckedMessage checked(call, among, world, among.rank == 0, among.rank != 0, bytes);
    bcast(among, buffer, bytes, 0);
}

void combine(const char* call, int scope, void* x, int count, const char* operation, int type,
             const Members& members)
{
    check_buffer(call, x, count);
    const observe::Waiting waiting(call, observe::Wait::message);
    const Element kind = element(call, type);
    const Scope among = scope_of(call, scope, members);
    if (!among.takes_part)
        return;
    const CheckedMessage checked(call, among, members, true, true, count, type);
    const MPI_Op op = prepare(operator_of(call, operation, type, kind), x, count, type);
    if (among.size == 1)
        return;
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(kind.size);
    if (by_nodes_is_best(among, bytes))
        by_nodes::combine(among_nodes(among), x, bytes, static_cast<std::size_t>(kind.size),
                          fold_of(op, type, kind));
    else
        mpi::check(MPI_Allreduce(MPI_IN_PLACE, x, count, kind.type, op, among.comm), "MPI_Allreduce");
}

void reduce(const char* call, int scope, void* x, int count, const char* operation, int type,
            const Members& members)
{
    check_buffer(call, x, count);
    const observe::Waiting waiting(call, observe::Wait::message);
    const Element kind = element(call, type);
    const Scope among = scope_of(call, scope, members);
    if (!among.takes_part)
        return;
    const CheckedMessage checked(call, among, members, true, among.rank == 0, count, type);
    // Only the root's x changes, so the others reduce from a copy, which the operator may turn into absolute
    // values.
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(kind.size);
    std::vector<std::byte> copy(among.rank == 0 ? 0 : bytes);
    if (!copy.empty())
        std::memcpy(copy.data(), x, bytes);
    void* const mine = among.rank == 0 ? x : copy.data();
    const MPI_Op op = prepare(operator_of(call, operation, type, kind), mine, count, type);
    if (among.size == 1)
        return;
    if (by_nodes_is_best(among, bytes))
        return by_nodes::reduce(among_nodes(among), mine, bytes, static_cast<std::size_t>(kind.size),
                                fold_of(op, type, kind));
    mpi::check(MPI_Reduce(among.rank == 0 ? MPI_IN_PLACE : mine, x, count, kind.type, op, 0, among.comm),
               "MPI_Reduce");
}

void select(const char* call, int scope, void* x, int bytes, const char* operation, int type, bool contribute,
            const Members& members)
{
    check_buffer(call, x, bytes);
    const observe::Waiting waiting(call, observe::Wait::message);
    const Element kind = element(call, type);
    if (bytes < kind.size)
        diag::fatal(call, "the record has %d bytes; its first element has %d", bytes, kind.size);
    const std::optional<Operator> op = read_operator(operation);
    const bool least = op == Operator::min;
    if (!least && op != Operator::max)
        diag::fatal(call, "operator %s is unknown here; it must be min or max", seen_of(operation).c_str());
    const Scope among = scope_of(call, scope, members);
    if (!among.takes_part)
        return;

    const CheckedMessage checked(call, among, members, true, true, bytes, type);
    switch (type) {
    case ARMCI_INT:
        return select<int>(among, kind, x, bytes, contribute, least);
    case ARMCI_LONG:
    case ARMCI_LONG_LONG:
        return select<long>(among, kind, x, bytes, contribute, least);
    case ARMCI_FLOAT:
        return select<float>(among, kind, x, bytes, contribute, least);
    default:
        return select<double>(among, kind, x, bytes, contribute, least);
    }
}

Tree binary_tree(const char* call, int scope, const Members& members)
{
    const Scope among = scope_of(call, scope, members);
    const auto at = [&](int place) {
        if (place >= among.size)
            return -1;
        return members.absolute(among.ranks.empty() ? place : among.ranks[static_cast<std::size_t>(place)]);
    };
    Tree tree{at(0), -1, -1, -1};
    if (!among.takes_part)
        return tree;
    if (among.rank > 0)
        tree.up = at((among.rank - 1) / 2);
    tree.left = at(2 * among.rank + 1);
    tree.right = at(2 * among.rank + 2);
    return tree;
}

void send(const char* call, int tag, const void* buffer, int bytes, int to)
{
    check_buffer(call, buffer, bytes);
    const observe::Waiting waiting(call, observe::Wait::message);
    const Members world = Members::of_world(call);
    if (to < 0 || to >= world.size())
        diag::fatal(call, "process %d does not exist; it must be 0 to %d", to, world.size() - 1);
    if (check::active) [[unlikely]]
        check::release(message_object(world.rank(), to, tag));
    mpi::check(MPI_Send(buffer, bytes, MPI_BYTE, to, tag, world.comm()), "MPI_Send");
}

int receive(const char* call, int tag, void* buffer, int capacity, int* received, int from)
{
    check_buffer(call, buffer, capacity);
    const observe::Waiting waiting(call, observe::Wait::message);
    const Members world = Members::of_world(call);
    if (from >= world.size())
        diag::fatal(call, "process %d does not exist; it must be 0 to %d", from, world.size() - 1);
    MPI_Status status;
    mpi::check(
        MPI_Recv(buffer, capacity, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, world.comm(), &status),
        "MPI_Recv");
    int bytes = 0;
    mpi::check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (received != nullptr)
        *received = bytes;
    if (check::active) [[unlikely]]
        check::acquire(message_object(status.MPI_SOURCE, world.rank(), tag));
    return status.MPI_SOURCE;
}

void bcast_to_node(const char* call, void* buffer, int bytes, int master, int count, const Members& members)
{
    check_buffer(call, buffer, bytes);
    const observe::Waiting waiting(call, observe::Wait::message);
    if (master < 0 || count < 1 || master + count > members.size())
        diag::fatal(call, "master %d and %d processes do not fit a group of %d", master, count,
                    members.size());
    if (check::active && members.rank() == master) [[unlikely]]
        check::release(message_object(members.absolute(master), -1, tags::node_broadcast));
    if (members.rank() != master) {
        mpi::check(MPI_Recv(buffer, bytes, MPI_BYTE, master, tags::node_broadcast, members.comm(),
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
        if (check::active) [[unlikely]]
            check::acquire(message_object(members.absolute(master), -1, tags::node_broadcast));
        return;
    }
    for (int rank = master + 1; rank < master + count; ++rank)
        mpi::check(MPI_Send(buffer, bytes, MPI_BYTE, rank, tags::node_broadcast, members.comm()), "MPI_Send");
}

} // namespace armci::message
