#include "gmr/network/probe.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi_quirks.hpp"
#include "armci/base/runs.hpp"
#include "gmr/memory/heap.hpp"
#include "gmr/network/atomics.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/ordering.hpp"
#include "gmr/network/rma.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

namespace armci::gmr {
namespace {

constexpr int rounds = 8;

// Neighbours in blocks add to the first process of their block and of the next one, so its words see
// operations of its own, of its node and, at block ends and where nodes are small, of other nodes.
constexpr int block = 8;

constexpr int pieces = 4;

// In the window of every process.
struct Words {
    std::int64_t fetched = 0;                         // by fetch-and-op
    std::int64_t accumulated = 0;                     // by accumulate
    std::int64_t both = 0;                            // by both in turn
    std::array<std::int64_t, 2 * pieces> scattered{}; // every other one is written by the process before
};

struct FreeAligned {
    void operator()(void* at) const { std::free(at); }
};

class Probe {
public:
    Probe(MPI_Comm world, EpochStyle epochs) : world_(world)
    {
        mpi::check(MPI_Comm_rank(world, &me_), "MPI_Comm_rank");
        mpi::check(MPI_Comm_size(world, &size_), "MPI_Comm_size");
        void* const page = std::aligned_alloc(window_alignment(), window_alignment());
        if (page == nullptr)
            diag::fatal("ARMCI_Init", "no memory for a page");
        words_.reset(new (page) Words);
        window_ = Window::over(world, words_.get(), window_alignment(), epochs);
    }

    // Whether all sums are right, on all processes.
    bool atomic()
    {
        const int first = me_ / block * block;
        const int second = first + block < size_ ? first + block : 0;
        mpi::barrier(world_);
        for (int round = 0; round < rounds; ++round)
            for (const int process : {first, second}) {
                fetch_and_add(at(process, offsetof(Words, fetched)));
                add(at(process, offsetof(Words, accumulated)));
                if (round % 2 == 0)
                    fetch_and_add(at(process, offsetof(Words, both)));
                else
                    add(at(process, offsetof(Words, both)));
            }
        completion::fence_all();
        mpi::barrier(world_);
        const Words mine = read();
        std::int64_t expected = 0;
        for (int process = 0; process < size_; ++process) {
            const int start = process / block * block;
            expected += start == me_ ? rounds : 0;
            expected += (start + block < size_ ? start + block : 0) == me_ ? rounds : 0;
        }
        return all(mine.fetched == expected && mine.accumulated == expected && mine.both == expected);
    }

    // Whether scattered words reach a neighbour and come back; true where they do not go as one operation.
    bool derived()
    {
        if (!rma::joins_blocks())
            return true;
        const int next = (me_ + 1) % size_;
        std::array<std::int64_t, 2 * pieces> sent{};
        std::array<std::int64_t, 2 * pieces> back{};
        rma::Blocks out;
        rma::Blocks in;
        for (int i = 0; i < 2 * pieces; i += 2) {
            sent[static_cast<std::size_t>(i)] = 1000 * me_ + i;
            const auto add = [&](rma::Blocks& blocks, void* address) {
                blocks.sizes.push_back(sizeof(std::int64_t));
                blocks.addresses.push_back(reinterpret_cast<MPI_Aint>(address));
                blocks.displacements.push_back(
                    static_cast<MPI_Aint>(offsetof(Words, scattered) + 8U * static_cast<unsigned>(i)));
            };
            add(out, &sent[static_cast<std::size_t>(i)]);
            add(in, &back[static_cast<std::size_t>(i)]);
        }
        const Target there = at(next, offsetof(Words, scattered));
        constexpr std::uint64_t extent = sizeof(Words::scattered);
        completion::begin(there, extent, Access::put);
        rma::put_blocks(there, out);
        completion::end(there, extent, Access::put);
        completion::begin(there, extent, Access::get);
        rma::get_blocks(there, in);
        completion::end_complete(there);
        bool right = back == sent;
        completion::fence_all();
        mpi::barrier(world_);
        const int before = (me_ + size_ - 1) % size_;
        const Words mine = read();
        for (int i = 0; i < 2 * pieces; ++i)
            right =
                right && mine.scattered[static_cast<std::size_t>(i)] == (i % 2 == 0 ? 1000 * before + i : 0);
        return all(right);
    }

    // Whether MPI_Put is so much faster than an accumulate that it is worth the flushes that order it: where
    // the network's hardware puts, and accumulates need the target's processor. Three of four processes must
    // find so: on many, some are disturbed.
    bool puts_are_faster(const Topology& topology)
    {
        constexpr int times = 3;
        constexpr double worth_it = 1.5;
        const Target there = at(process_elsewhere(topology), offsetof(Words, scattered));
        const std::int64_t zero = 0;
        const auto seconds = [&](auto issue) {
            double least = 1e9;
            for (int i = 0; i < times; ++i) {
                const double start = MPI_Wtime();
                completion::begin(there, sizeof zero, Access::put);
                issue();
                completion::end_complete(there);
                least = std::min(least, MPI_Wtime() - start);
            }
            return least;
        };
        const double put = seconds([&] { rma::put(there, &zero, sizeof zero, nullptr); });
        const double accumulate =
            seconds([&] { rma::accumulate(there, MPI_INT64_T, sizeof zero, &zero, sizeof zero); });
        int found_so = put * worth_it < accumulate ? 1 : 0;
        mpi::allreduce(&found_so, 1, MPI_INT, MPI_SUM, world_);
        return found_so * 4 >= size_ * 3;
    }

private:
    // Returns a process of another node, about half of all ranks away; one of this node where it is alone.
    int process_elsewhere(const Topology& topology) const
    {
        const int half = (me_ + size_ / 2) % size_;
        for (int i = 0; i < size_; ++i)
            if (const int process = (half + i) % size_; !topology.same_node(process))
                return process;
        return half;
    }

    Target at(int process, std::size_t offset) const
    {
        Target target;
        target.window = window_.get();
        target.rank = target.process = process;
        target.displacement = offset;
        return target;
    }

    void fetch_and_add(const Target& target)
    {
        std::int64_t old = 0;
        atomics::fetch_and_op(target, MPI_INT64_T, MPI_SUM, &one_, &old);
    }

    void add(const Target& target)
    {
        completion::begin(target, sizeof one_, Access::accumulate_long);
        rma::accumulate(target, MPI_INT64_T, sizeof one_, &one_, sizeof one_);
        completion::end(target, sizeof one_, Access::accumulate_long);
    }

    // My own words, as MPI sees them.
    Words read()
    {
        Words mine;
        const Target target = at(me_, 0);
        completion::begin(target, sizeof mine, Access::get);
        rma::get(target, &mine, sizeof mine);
        completion::end_complete(target);
        return mine;
    }

    bool all(bool mine) const { return mpi::all_say(world_, mine); }

    MPI_Comm world_;
    int me_ = 0;
    int size_ = 1;
    const std::int64_t one_ = 1;
    std::unique_ptr<Words, FreeAligned> words_;
    std::unique_ptr<Window> window_; // goes before what it covers
};

struct Findings {
    bool known = false;
    int size = 0;
    Runs processes; // among which: how far their ranks in MPI's world are from those among them
    EpochStyle asked = EpochStyle::lock_all;
    Ordering ordering = Ordering::automatic;
    EpochStyle usable = EpochStyle::lock_all;
    bool derived = true;
    bool puts_faster = false;
};
Findings found; // kept when the library is stopped and started again

Runs distances_in_mpi_world(MPI_Comm comm)
{
    MPI_Group mine = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    mpi::check(MPI_Comm_group(comm, &mine), "MPI_Comm_group");
    mpi::check(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
    int size = 0;
    mpi::check(MPI_Group_size(mine, &size), "MPI_Group_size");
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> theirs(ranks.size());
    mpi::check(MPI_Group_translate_ranks(mine, size, ranks.data(), all, theirs.data()),
               "MPI_Group_translate_ranks");
    mpi::check(MPI_Group_free(&mine), "MPI_Group_free");
    mpi::check(MPI_Group_free(&all), "MPI_Group_free");
    std::vector<std::uint64_t> distances(ranks.size());
    std::transform(theirs.begin(), theirs.end(), ranks.begin(), distances.begin(),
                   [](int there, int here) { return static_cast<std::uint64_t>(there - here); });
    return Runs(distances);
}

int size_of(MPI_Comm comm)
{
    int size = 0;
    mpi::check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return size;
}

// Whether all processes of `world` know, from an earlier life among just them, what `asked` and `ordering`
// give.
bool is_known(MPI_Comm world, EpochStyle asked, Ordering ordering)
{
    const bool mine = found.known && found.asked == asked && found.ordering == ordering &&
                      found.size == size_of(world) && found.processes == distances_in_mpi_world(world);
    return mpi::all_say(world, mine);
}

Findings find(MPI_Comm world, const Topology& topology, std::unique_ptr<Probe> probe, EpochStyle asked,
              Ordering ordering, bool speaker)
{
    Findings result;
    result.known = true;
    result.size = size_of(world);
    result.processes = distances_in_mpi_world(world);
    result.asked = result.usable = asked;
    result.ordering = ordering;
    if (!probe->atomic()) {
        result.usable = EpochStyle::exclusive_lock;
        probe.reset();
        probe = std::make_unique<Probe>(world, result.usable);
        if (!probe->atomic())
            diag::fatal_together(
                speaker, "ARMCI_Init",
                "MPI loses updates: MPI_Accumulate and MPI_Fetch_and_op from several processes into one "
                "word gave a wrong sum, under exclusive locks too; use another version of MPI, or on "
                "Open MPI another one-sided component, '--mca osc ^ucx,rdma'");
    }
    rma::use_blocks(true); // whatever an earlier life of the library found
    result.derived = probe->derived();
    if (ordering == Ordering::automatic) {
        ordering::set(Ordering::flush); // puts are puts
        result.puts_faster = probe->puts_are_faster(topology);
    }
    return result;
}

} // namespace

void probe_mpi(MPI_Comm world, const Topology& topology, Settings& settings)
{
    int me = 0;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    auto probe = std::make_unique<Probe>(world, settings.epochs); // its window tells what MPI uses
    settings.ordering = quirks::usable(settings.ordering, me == 0);
    settings.strided_method = quirks::usable(settings.strided_method, me == 0);
    settings.iov_method = quirks::usable(settings.iov_method, me == 0);
    if (settings.probe == 0)
        return;
    if (!is_known(world, settings.epochs, settings.ordering)) {
        ordering::set(settings.ordering);
        found = find(world, topology, std::move(probe), settings.epochs, settings.ordering, me == 0);
        if (me == 0 && found.usable != found.asked)
            diag::warn(
                "MPI loses updates when several processes accumulate into one word; each operation is "
                "enclosed in "
                "an exclusive lock, which is slow (ARMCI_EPOCHS=exclusive); another version of MPI cures it");
        if (me == 0 && !found.derived)
            diag::warn("MPI gets transfers of derived types wrong here; each transfer goes "
                       "by itself");
    }
    settings.epochs = found.usable;
    if (settings.ordering == Ordering::automatic)
        settings.ordering = found.puts_faster ? Ordering::flush : Ordering::accumulate;
    rma::use_blocks(found.derived);
}

} // namespace armci::gmr
