// Allocations that cannot be had: every rank gets an error, one message has the figures, and the job goes on.
// Run with several settings; the headings name the one that the tests below them are for (see
// CMakeLists.txt).
#include "tests/errors/together.hpp"
#include "tests/support/path.hpp"

#include <fstream>
#include <limits>

namespace armci_test {
namespace {

constexpr long mebibyte = 1 << 20;

long meminfo(const std::string& field)
{
    std::ifstream file("/proc/meminfo");
    for (std::string name; file >> name;) {
        long kilobytes = 0;
        file >> kilobytes;
        if (name == field + ":")
            return kilobytes * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

class Memory : public testing::Test {
protected:
    const int me = rank(), processes = size(), last = processes - 1;
    std::vector<void*> bases = std::vector<void*>(processes, this);

    static long on_node_of(int process)
    {
        return armci_domain_nprocs(ARMCI_DOMAIN_SMP, armci_domain_id(ARMCI_DOMAIN_SMP, process));
    }

    void expect_untouched()
    {
        for (void* const base : bases)
            EXPECT_EQ(this, base) << "output of a refused call";
    }
};

std::string asked(int process, long bytes)
{
    return "process " + std::to_string(process) + " asked for " + std::to_string(bytes) + " bytes";
}

// --- No settings
// ---------------------------------------------------------------------------------------------

TEST_F(Memory, MoreThanTheNodeHasOnOneRank)
{
    const long too_much = 2 * (meminfo("MemTotal") + meminfo("SwapTotal"));
    ASSERT_GT(too_much, 0);
    for (const long bytes : {too_much, 1024 * 1024 * mebibyte * 1024, std::numeric_limits<long>::max()}) {
        expect_refused_on_all({"rank " + std::to_string(last) + " of", "ARMCI_Malloc", asked(last, bytes),
                               "but only", "bytes are available to global memory on its node"},
                              [&] { return ARMCI_Malloc(bases.data(), me == last ? bytes : 1000); });
        expect_refused_on_all({"ARMCI_Malloc_group", asked(0, bytes)},
                              [&] { return ARMCI_Malloc_group(bases.data(), me == 0 ? bytes : 0, nullptr); });
        expect_untouched();
    }
    expect_memory_works(4 * mebibyte);
}

TEST_F(Memory, MoreThanTheNodeHasTogether)
{
    const long available = meminfo("MemAvailable") + meminfo("SwapFree");
    long share = available / 10 * 13 / on_node_of(me);
    MPI_Bcast(&share, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    expect_refused_on_all({"asked for " + std::to_string(share) + " bytes", "but only"},
                          [&] { return ARMCI_Malloc(bases.data(), share); });
    expect_untouched();
    expect_memory_works(4 * mebibyte);
}

// A refused request takes nothing: a hundred of them leave room for one that fits.
TEST_F(Memory, RefusalsTakeNothing)
{
    const long available = meminfo("MemAvailable") + meminfo("SwapFree");
    const long too_much = available / 4 * 5;
    for (int i = 0; i < 100; ++i)
        expect_refused_on_all({asked(last, too_much)},
                              [&] { return ARMCI_Malloc(bases.data(), me == last ? too_much : mebibyte); });
    ASSERT_EQ(0, ARMCI_Malloc(bases.data(), available / 8 / processes));
    ASSERT_EQ(0, ARMCI_Free(bases[me]));
}

// --- ARMCI_MEMORY_LIMIT=1M
// -------------------------------------------------------------------------------------

TEST_F(Memory, Limit)
{
    // The node shares what its processes may have together.
    const long all = on_node_of(last) * mebibyte;
    expect_refused_on_all(
        {asked(last, all + 1), "only " + std::to_string(all) + " bytes are available", "ARMCI_MEMORY_LIMIT"},
        [&] { return ARMCI_Malloc(bases.data(), me == last ? all + 1 : 0); });
    expect_refused_on_all({"asked for " + std::to_string(mebibyte + 1)},
                          [&] { return ARMCI_Malloc(bases.data(), mebibyte + 1); });
    ASSERT_EQ(0, ARMCI_Malloc(bases.data(), mebibyte));
    void* const first = bases[me];
    expect_refused_on_all({asked(0, 1), "only 0 bytes"},
                          [&] { return ARMCI_Malloc(bases.data(), me == 0 ? 1 : 0); });
    ASSERT_EQ(0, ARMCI_Free(first));
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Malloc(bases.data(), me == last ? all : 0));
    ASSERT_EQ(0, ARMCI_Free(bases[me]));
    ARMCI_Barrier();

    ARMCI_Set_shm_limit(4 * mebibyte);
    ARMCI_Barrier();
    expect_memory_works(4 * mebibyte);
    expect_refused_on_all({"ARMCI_MEMORY_LIMIT"},
                          [&] { return ARMCI_Malloc(bases.data(), 4 * mebibyte + 1); });
    ARMCI_Barrier();
    ARMCI_Set_shm_limit(mebibyte);
    ARMCI_Barrier();
}

// --- ARMCI_ARENA_SIZE=1, which gives the least: 16 MiB, half of it for the world's memory
// ------------------------

TEST_F(Memory, AddressRange)
{
    if (!shares_addresses())
        GTEST_SKIP() << "with ARMCI_WINDOW=" << setting("ARMCI_WINDOW") << " MPI chooses the addresses";
    const bool is_pooled = setting("ARMCI_WINDOW").empty() || setting("ARMCI_WINDOW") == "pooled";
    const std::string cure = "raise ARMCI_ARENA_SIZE";
    expect_refused_on_all({asked(last, 9 * mebibyte), "address range has no room", cure},
                          [&] { return ARMCI_Malloc(bases.data(), me == last ? 9 * mebibyte : 8); });
    expect_untouched();
    ARMCI_Group group;
    ARMCI_Group_create(1, std::vector<int>{me}.data(), &group);
    std::string text;
    EXPECT_NE(0,
              call_and_listen([&] { return ARMCI_Malloc_group(bases.data(), 9 * mebibyte, &group); }, text));
    EXPECT_TRUE(is_one_message(text, "ARMCI_Malloc_group", {asked(me, 9 * mebibyte), cure}));
    ARMCI_Group_free(&group);
    armci_meminfo_t info;
    EXPECT_NE(0, call_and_listen([&] { return ARMCI_Memget(9 * mebibyte, &info, 0); }, text));
    EXPECT_TRUE(is_one_message(text, "ARMCI_Memget", {std::to_string(9 * mebibyte) + " bytes asked", cure}));
    expect_refused_on_all({"asked for 100000000 mutexes"}, [] { return ARMCI_Create_mutexes(100'000'000); });

    // It can be used to the end, twice over. Pooled windows leave a little of it unused; how much regions
    // with windows of their own may have is not promised, but the second time it is the same.
    constexpr long size = mebibyte - 4096; // takes a mebibyte of it
    std::size_t most = !uses_windows() ? 8 : is_pooled ? 7 : 0;
    for (int round = 0; round < 2; ++round) {
        std::vector<void*> mine;
        expect_refused_on_all({"asked for " + std::to_string(size), cure}, [&] {
            int code = 0;
            while ((code = ARMCI_Malloc(bases.data(), size)) == 0)
                mine.push_back(bases[me]);
            return code;
        });
        ASSERT_FALSE(mine.empty());
        if (most == 0)
            most = mine.size();
        ASSERT_EQ(mine.size(), most);
        for (void* const base : mine)
            ASSERT_EQ(0, ARMCI_Free(base));
        ARMCI_Barrier();
    }
    expect_memory_works(static_cast<long>(most) * size);
}

} // namespace
} // namespace armci_test
