#include "gmr/memory/team.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/doubling.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace armci::gmr {
namespace {

// Not of messages of the same communicator (armci/message_tags.hpp).
constexpr int node_creation = 32762;
constexpr int masters_creation = 32763;

} // namespace

// A central barrier: the last to arrive resets the count and opens the next phase. The RMW on `arrived`
// (acq_rel) collects what each member wrote; the store to `phase` (seq_cst) hands it to all. What a phase's
// members did not agree to is read after it and taken back before the end of the next one.
struct Team::Control {
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) wait::Word phase;
    std::atomic<std::uint32_t> refused[2]; // by the last bit of the phase
    std::atomic<std::uint32_t> left;       // members that have met for the last time
    alignas(64) std::byte slots[1];        // 2 sets, of local_size() slots each
};

Team::Team(MPI_Comm comm, const std::vector<int>& members, const Topology& topology, Heap& heap)
    : comm_(comm), members_(members), topology_(&topology), heap_(&heap)
{
    mpi::check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    for (int i = 0; i < size(); ++i) {
        near_.push_back(topology.same_node(member(i)));
        if (!on_my_node(i))
            continue;
        if (i == rank_)
            local_rank_ = local_size_;
        ++local_size_;
    }
    if (!on_one_node())
        make_communicators(find_nodes(topology));
    if (local_rank_ == 0) {
        const std::size_t bytes = sizeof(Control) + 2 * static_cast<std::size_t>(local_size_) * slot_bytes;
        control_ = reinterpret_cast<Control*>(heap.place_internal(bytes));
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the address itself goes out
    mpi::broadcast(&control_, sizeof(control_), 0, node_comm());
    if (control_ == nullptr)
        diag::fatal_together(rank_ == 0, "ARMCI_Group_create",
                             "no address range left for a group of %d processes; raise ARMCI_ARENA_SIZE",
                             size());
}

Team::~Team()
{
    if (local_rank_ == 0)
        heap_->release_internal(reinterpret_cast<std::byte*>(control_));
}

// The part of barrier() that one node needs: enough for show(), whose slots are the node's.
bool Team::node_barrier(bool mine)
{
    if (local_size_ == 1)
        return mine;
    const std::uint32_t phase = control_->phase.value.load(std::memory_order_relaxed);
    std::atomic<std::uint32_t>& refused = control_->refused[phase % 2];
    if (!mine)
        refused.store(1, std::memory_order_relaxed);
    if (control_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
        static_cast<std::uint32_t>(local_size_)) {
        control_->arrived.store(0, std::memory_order_relaxed);
        control_->refused[(phase + 1) % 2].store(0, std::memory_order_relaxed);
        control_->phase.value.store(phase + 1, std::memory_order_seq_cst);
        wait::wake(control_->phase);
    } else {
        wait::until(control_->phase, [phase](std::uint32_t now) { return now != phase; });
    }
    return refused.load(std::memory_order_relaxed) == 0;
}

bool Team::barrier(bool mine)
{
    bool all = node_barrier(mine);
    if (on_one_node())
        return all;
    if (masters_.valid())
        all = mpi::barrier(masters_.get(), all);
    return node_barrier(all);
}

// The last thing that a member does in the shared memory is to count itself (release), and its owner waits
// for all.
void Team::meet_for_the_last_time()
{
    barrier();
    if (local_rank_ != 0)
        control_->left.fetch_add(1, std::memory_order_release);
    else
        wait::until([this] {
            return control_->left.load(std::memory_order_acquire) + 1 ==
                   static_cast<std::uint32_t>(local_size_);
        });
}

// Two sets in turn: a member writes a set again only after a barrier that the readers of that set have
// entered.
std::byte* Team::next_slots()
{
    turn_ ^= 1;
    return control_->slots + turn_ * static_cast<std::size_t>(local_size_) * slot_bytes;
}

const std::byte* Team::show(const void* mine, std::size_t bytes)
{
    std::byte* const slots = next_slots();
    if (bytes > 0)
        std::memcpy(slots + static_cast<std::size_t>(local_rank_) * slot_bytes, mine, bytes);
    node_barrier();
    return slots;
}

// Of a long message the giver writes one piece while the others read the last one.
std::size_t Team::piece_bytes() const
{
    return static_cast<std::size_t>(std::min(local_size_, 8)) * slot_bytes;
}

void Team::pass(void* data, std::size_t bytes, int from)
{
    if (local_size_ == 1)
        return;
    for (std::size_t done = 0; done < bytes; done += piece_bytes()) {
        const std::size_t piece = std::min(piece_bytes(), bytes - done);
        std::byte* const mine = static_cast<std::byte*>(data) + done;
        std::byte* const slots = next_slots();
        if (local_rank_ == from)
            std::memcpy(slots, mine, piece);
        node_barrier();
        if (local_rank_ != from)
            std::memcpy(mine, slots, piece);
    }
}

void Team::pass_on(record_runs::Bytes& data)
{
    if (local_size_ == 1)
        return;
    std::uint64_t length = data.size();
    const std::size_t room = piece_bytes() - sizeof length;
    std::byte* const slots = next_slots();
    if (local_rank_ == 0) {
        std::memcpy(slots, &length, sizeof length);
        std::memcpy(slots + sizeof length, data.data(), std::min(room, data.size()));
    }
    node_barrier();
    if (local_rank_ != 0) {
        std::memcpy(&length, slots, sizeof length);
        data.resize(length);
        std::memcpy(data.data(), slots + sizeof length, std::min(room, data.size()));
    }
    if (length > room)
        pass(data.data() + room, length - room, 0);
}

// Each is collective over its own members only, not over the team as MPI_Comm_split is.
void Team::make_communicators(const std::vector<int>& first_ranks)
{
    std::vector<int> here;
    for (int i = 0; i < size(); ++i)
        if (on_my_node(i))
            here.push_back(i);
    node_ = mpi::Comm::create_from_members(comm_, here.data(), local_size_, node_creation);
    if (local_rank_ == 0)
        masters_ = mpi::Comm::create_from_members(comm_, first_ranks.data(),
                                                  static_cast<int>(first_ranks.size()), masters_creation);
}

std::vector<int> Team::find_nodes(const Topology& topology)
{
    std::vector<int> first_ranks;
    std::unordered_map<int, std::size_t> known;
    for (int rank = 0; rank < size(); ++rank) {
        const int node = topology.node_of(member(rank));
        const auto [found, is_new] = known.try_emplace(node, nodes_.size());
        if (is_new) {
            first_ranks.push_back(rank);
            nodes_.push_back(node);
            node_sizes_.push_back(0);
        }
        in_node_order_ = in_node_order_ && found->second + 1 == nodes_.size();
        ++node_sizes_[found->second];
    }
    return first_ranks;
}

Team::Place Team::place_of(int rank) const
{
    if (on_one_node())
        return {0, rank};
    const int node = topology_->node_of(member(rank));
    int on_node = 0;
    for (int other = 0; other < rank; ++other)
        on_node += topology_->node_of(member(other)) == node ? 1 : 0;
    const auto number = static_cast<std::size_t>(node);
    if (number < nodes_.size() && nodes_[number] == node) // as in the world
        return {node, on_node};
    return {static_cast<int>(std::find(nodes_.begin(), nodes_.end(), node) - nodes_.begin()), on_node};
}

record_runs::Bytes Team::gather(const std::byte* mine, std::size_t each)
{
    const std::byte* const slots = show(mine, each);
    record_runs::Bytes runs;
    if (on_one_node()) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(local_size_); ++i)
            record_runs::append(runs, slots + i * slot_bytes, 1, each);
        return runs;
    }
    if (masters_.valid()) {
        std::vector<std::byte> here(static_cast<std::size_t>(local_size_) * each);
        for (std::size_t i = 0; i < static_cast<std::size_t>(local_size_); ++i)
            std::memcpy(&here[i * each], slots + i * slot_bytes, each);
        runs = mpi::gather_runs(here.data(), each, node_sizes_, masters_.get());
    }
    pass_on(runs);
    return in_node_order_ ? runs : in_rank_order(runs, each);
}

record_runs::Bytes Team::in_rank_order(const record_runs::Bytes& runs, std::size_t each) const
{
    std::vector<std::byte> by_node(members_.size() * each);
    record_runs::expand(runs, each, by_node.data());
    std::unordered_map<int, std::size_t> next; // record, by node
    for (std::size_t i = 0, first = 0; i < nodes_.size(); ++i) {
        next[nodes_[i]] = first;
        first += static_cast<std::size_t>(node_sizes_[i]);
    }
    record_runs::Bytes by_rank;
    for (const int member : members_)
        record_runs::append(by_rank, &by_node[next[topology_->node_of(member)]++ * each], 1, each);
    return by_rank;
}

} // namespace armci::gmr
