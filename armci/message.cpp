#include "armci/message.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/observe.hpp"
#include "armci/base/wait.hpp"
#include "armci/include/message.h"
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
// any size. Where each process has a core, MPI's algorithms win once vectors are long.
bool by_memory(const Scope& scope, std::size_t bytes)
{
    constexpr std::size_t most = 64 * 1024;
    return scope.team != nullptr && scope.size > 1 && (bytes <= most || wait::spin_rounds() == 0);
}

// Everybody folds everybody's slots in the same order, so all get the same bits.
void combine_by_memory(gmr::Team& team, void* x, std::size_t count, const Element& kind, MPI_Op op, int type)
{
    const auto size = static_cast<std::size_t>(kind.size);
    const std::size_t at_once = gmr::Team::slot_bytes / size;
    for (std::size_t done = 0; done < count; done += at_once) {
        const std::size_t piece = std::min(at_once, count - done);
        std::byte* const mine = static_cast<std::byte*>(x) + done * size;
        const std::byte* const slots = team.show(mine, piece * size);
        std::memcpy(mine, slots, piece * size);
        for (int rank = 1; rank < team.local_size(); ++rank)
            fold(mine, slots + static_cast<std::size_t>(rank) * gmr::Team::slot_bytes, piece, op, type);
    }
}

void bcast_by_memory(gmr::Team& team, void* x, std::size_t bytes, int root)
{
    for (std::size_t done = 0; done < bytes; done += gmr::Team::slot_bytes) {
        const std::size_t piece = std::min(gmr::Team::slot_bytes, bytes - done);
        std::byte* const mine = static_cast<std::byte*>(x) + done;
        const bool shows = team.local_rank() == root;
        const std::byte* const slots = team.show(mine, shows ? piece : 0);
        if (!shows)
            std::memcpy(mine, slots + static_cast<std::size_t>(root) * gmr::Team::slot_bytes, piece);
    }
}

void bcast(const Scope& scope, void* buffer, int bytes, int root)
{
    if (by_memory(scope, static_cast<std::size_t>(bytes)))
        bcast_by_memory(*scope.team, buffer, static_cast<std::size_t>(bytes), root);
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
int winner(const Scope& scope, const Element& kind, const void* x, bool contribute, bool least)
{
    struct {
        Key key;
        int rank;
    } mine{}, best{};
    if (contribute)
        std::memcpy(&mine.key, x, sizeof mine.key);
    else
        mine.key = least ? worst_of_least<Key> : worst_of_greatest<Key>;
    mine.rank = contribute ? scope.rank : INT_MAX; // loses every tie
    if (by_memory(scope, sizeof mine)) {
        const std::byte* const slots = scope.team->show(&mine, sizeof mine);
        best = mine;
        for (int rank = 0; rank < scope.team->local_size(); ++rank) {
            auto one = mine;
            std::memcpy(&one, slots + static_cast<std::size_t>(rank) * gmr::Team::slot_bytes, sizeof one);
            const bool better = least ? one.key < best.key : best.key < one.key;
            if (better || (one.key == best.key && one.rank < best.rank))
                best = one;
        }
        return best.rank;
    }
    const MPI_Op op = least ? MPI_MINLOC : MPI_MAXLOC;
    mpi::check(MPI_Allreduce(&mine, &best, 1, kind.with_rank, op, scope.comm), "MPI_Allreduce");
    return best.rank;
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
    const int giver = rank_in(call, among, rank);
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
    if (by_memory(among, static_cast<std::size_t>(count) * static_cast<std::size_t>(kind.size)))
        combine_by_memory(*among.team, x, static_cast<std::size_t>(count), kind, op, type);
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
    int root = 0;
    switch (type) {
    case ARMCI_INT:
        root = winner<int>(among, kind, x, contribute, least);
        break;
    case ARMCI_LONG:
    case ARMCI_LONG_LONG:
        root = winner<long>(among, kind, x, contribute, least);
        break;
    case ARMCI_FLOAT:
        root = winner<float>(among, kind, x, contribute, least);
        break;
    default:
        root = winner<double>(among, kind, x, contribute, least);
        break;
    }
    if (root == INT_MAX)
        return; // nobody contributed
    bcast(among, x, bytes, root);
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
