// Wrong uses of mutexes, groups, local and single-process memory, direct access and topology: mistakes of one
// process. Those that concern a whole group are in collective_test.cpp.
#include "tests/errors/refusal.hpp"

#include <armcix.h>

#include <climits>
#include <cstdlib>

namespace armci_test {
namespace {

#ifdef __has_feature
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif

using Objects = Watched;

TEST_F(Objects, MutexesThatDoNotExist)
{
    refused("ARMCI_Lock", {"no mutexes exist", "ARMCI_Create_mutexes"}, [] { ARMCI_Lock(0, 0); });
    refused("ARMCI_Unlock", {"no mutexes exist"}, [] { ARMCI_Unlock(0, 0); });
    refused("ARMCI_Destroy_mutexes", {"no mutexes exist"}, [] { return ARMCI_Destroy_mutexes(); });
    ASSERT_EQ(0, ARMCI_Create_mutexes(me == 0 ? 2 : 1));
    refused("ARMCI_Create_mutexes", {"mutexes exist already"}, [] { return ARMCI_Create_mutexes(1); });
    for (const int process : {-1, processes, INT_MAX}) {
        refused("ARMCI_Lock", {"process " + std::to_string(process) + " does not exist"},
                [&] { ARMCI_Lock(0, process); });
        refused("ARMCI_Unlock", {"process " + std::to_string(process) + " does not exist"},
                [&] { ARMCI_Unlock(0, process); });
    }
    for (const int mutex : {-1, 2, INT_MAX}) {
        refused("ARMCI_Lock", {"mutex " + std::to_string(mutex) + " of process 0", "created 2"},
                [&] { ARMCI_Lock(mutex, 0); });
        refused("ARMCI_Unlock", {"mutex " + std::to_string(mutex) + " of process 0"},
                [&] { ARMCI_Unlock(mutex, 0); });
    }
    if (processes > 1) {
        refused("ARMCI_Lock", {"mutex 1 of process 1", "created 1"}, [] { ARMCI_Lock(1, 1); });
    }
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

TEST_F(Objects, MutexesNotHeldOrHeldTwice)
{
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    refused("ARMCI_Unlock", {"mutex 0 of process " + std::to_string(target), "not held"},
            [] { ARMCI_Unlock(0, target); });
    ARMCI_Lock(0, target);
    refused("ARMCI_Lock", {"already held by this thread"}, [] { ARMCI_Lock(0, target); });
    ARMCI_Barrier();
    if (processes > 1) // held by a neighbour
        refused("ARMCI_Unlock", {"not held by this thread"}, [] { ARMCI_Unlock(0, me); });
    ARMCI_Barrier();
    ARMCI_Unlock(0, target);
    refused("ARMCI_Unlock", {"not held"}, [] { ARMCI_Unlock(0, target); });
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

TEST_F(Objects, MutexHandles)
{
    refused("ARMCIX_Lock_hdl", {"mutex handle", "does not exist"}, [] { ARMCIX_Lock_hdl(nullptr, 0, 0); });
    ARMCI_Group alone;
    ARMCI_Group_create(1, &me, &alone);
    armcix_mutex_hdl_t const handle = ARMCIX_Create_mutexes_hdl(1, &alone);
    ASSERT_NE(nullptr, handle);
    refused("ARMCIX_Lock_hdl", {"mutex 1 of process " + std::to_string(me), "created 1"},
            [&] { ARMCIX_Lock_hdl(handle, 1, me); });
    refused("ARMCIX_Unlock_hdl", {"not held"}, [&] { ARMCIX_Unlock_hdl(handle, 0, me); });
    refused("ARMCIX_Trylock_hdl",
            {"process " + std::to_string(processes) + " is no member of the group of 1 "},
            [&] { return ARMCIX_Trylock_hdl(handle, 0, processes); });
    if (processes > 1) // no member
        refused("ARMCIX_Lock_hdl", {"process " + std::to_string(target) + " is no member of the group of 1 "},
                [&] { ARMCIX_Lock_hdl(handle, 0, target); });
    ASSERT_EQ(0, ARMCIX_Destroy_mutexes_hdl(handle));
    refused("ARMCIX_Lock_hdl", {text_of(handle), "destroyed already"},
            [&] { ARMCIX_Lock_hdl(handle, 0, me); });
    refused("ARMCIX_Unlock_hdl", {"destroyed already"}, [&] { ARMCIX_Unlock_hdl(handle, 0, me); });
    refused("ARMCIX_Trylock_hdl", {"destroyed already"}, [&] { return ARMCIX_Trylock_hdl(handle, 0, me); });
    refused("ARMCIX_Destroy_mutexes_hdl", {"destroyed already"},
            [&] { return ARMCIX_Destroy_mutexes_hdl(handle); });
    ARMCI_Group_free(&alone);
}

TEST_F(Objects, GroupLists)
{
    ARMCI_Group group;
    std::vector<int> members(processes + 1);
    for (int i = 0; i <= processes; ++i)
        members[i] = i;
    const auto create = [&](int count, int* list) {
        return [&group, count, list] { ARMCI_Group_create(count, list, &group); };
    };
    const auto is_outside = [&] {
        return group.rank == -1 && group.size == 0 && group.comm == MPI_COMM_NULL;
    };
    refused("ARMCI_Group_create", {"list has -1 processes"}, create(-1, members.data()));
    EXPECT_TRUE(is_outside());
    refused("ARMCI_Group_create",
            {"list has " + std::to_string(processes + 1), "0 to " + std::to_string(processes)},
            create(processes + 1, members.data()));
    refused("ARMCI_Group_create", {"list of processes is NULL"}, create(1, nullptr));
    refused("ARMCI_Group_create", {"group to fill is NULL"},
            [&] { ARMCI_Group_create(1, members.data(), nullptr); });
    for (int wrong : {-1, processes, INT_MAX}) {
        refused("ARMCI_Group_create", {"entry 0 of the list is " + std::to_string(wrong)}, create(1, &wrong));
        EXPECT_TRUE(is_outside());
    }
    if (processes > 1) {
        std::vector<int> twice(processes, 1);
        refused("ARMCI_Group_create", {"process 1 is in the list twice", "entry 1"},
                create(processes, twice.data()));
    }
    refused("ARMCI_Group_create_child", {"group to fill is NULL"},
            [&] { ARMCI_Group_create_child(1, &me, nullptr, nullptr); });
}

TEST_F(Objects, GroupsThatDoNotExist)
{
    ARMCI_Group group;
    ARMCI_Group_create(1, &me, &group);
    ARMCI_Group stale = group;
    ARMCI_Group_free(&group);
    EXPECT_EQ(-1, group.rank);
    const std::string freed = "freed already";
    ARMCI_Group child;
    void* base = nullptr;
    refused("ARMCI_Group_free", {freed}, [&] { ARMCI_Group_free(&stale); });
    refused("ARMCI_Group_set_default", {freed}, [&] { ARMCI_Group_set_default(&stale); });
    refused("ARMCI_Group_create_child", {freed}, [&] { ARMCI_Group_create_child(1, &me, &child, &stale); });
    refused("ARMCI_Malloc_group", {freed}, [&] { return ARMCI_Malloc_group(&base, 8, &stale); });
    refused("ARMCI_Malloc_group_memdev", {freed},
            [&] { return ARMCI_Malloc_group_memdev(&base, 8, &stale, "ram"); });
    refused("ARMCI_Free_group", {freed}, [&] { return ARMCI_Free_group(&base, &stale); });
    refused("ARMCI_GroupFence", {freed}, [&] { ARMCI_GroupFence(&stale); });
    refused("ARMCIX_Group_split", {freed}, [&] { return ARMCIX_Group_split(&stale, 0, 0, &child); });
    refused("ARMCIX_Group_dup", {freed}, [&] { return ARMCIX_Group_dup(&stale, &child); });
    refused("ARMCIX_Mode_set", {freed}, [&] { return ARMCIX_Mode_set(0, nullptr, &stale); });
    refused("ARMCI_Absolute_id", {freed}, [&] { return ARMCI_Absolute_id(&stale, 0); });
    EXPECT_EQ(nullptr, base);
    std::string text;
    EXPECT_EQ(0, call_and_listen([&] { return ARMCI_Uses_shm_grp(&stale); }, text));
    EXPECT_TRUE(is_one_message(text, "ARMCI_Uses_shm_grp", {freed}));
    EXPECT_EQ(0, call_and_listen([&] { return ARMCIX_Create_mutexes_hdl(1, &stale); }, text));
    EXPECT_TRUE(is_one_message(text, "ARMCIX_Create_mutexes_hdl", {freed}));
}

TEST_F(Objects, GroupArguments)
{
    ARMCI_Group world, outside;
    ARMCI_Group_get_world(&world);
    refused("ARMCI_Group_free", {"the group is the world"}, [&] { ARMCI_Group_free(&world); });
    int rank = 7;
    refused("ARMCI_Group_rank", {"NULL"}, [&] { return ARMCI_Group_rank(nullptr, &rank); });
    refused("ARMCI_Group_rank", {"NULL"}, [&] { return ARMCI_Group_rank(&world, nullptr); });
    refused("ARMCI_Group_size", {"NULL"}, [&] { ARMCI_Group_size(&world, nullptr); });
    refused("ARMCI_Group_get_default", {"group to fill is NULL"}, [] { ARMCI_Group_get_default(nullptr); });
    refused("ARMCI_Group_get_world", {"group to fill is NULL"}, [] { ARMCI_Group_get_world(nullptr); });
    refused("ARMCIX_Group_dup", {"group to fill is NULL"}, [&] { return ARMCIX_Group_dup(&world, nullptr); });
    refused("ARMCIX_Group_split", {"group to fill is NULL"},
            [&] { return ARMCIX_Group_split(&world, 0, 0, nullptr); });
    for (const int wrong : {-1, processes}) {
        refused("ARMCI_Absolute_id",
                {"group rank is " + std::to_string(wrong), "0 to " + std::to_string(processes - 1)},
                [&] { return ARMCI_Absolute_id(&world, wrong) != -1 ? 0 : -1; });
    }
    if (processes > 1) {
        int other = (me + 1) % processes;
        ARMCI_Group_create(1, &other, &outside); // others may call, too
        EXPECT_NE(0, ARMCI_Group_rank(&outside, &rank));
        EXPECT_EQ(-1, rank);
        void* base = nullptr;
        refused("ARMCI_Malloc_group", {"no member of the group"},
                [&] { return ARMCI_Malloc_group(&base, 8, &outside); });
    }
}

TEST_F(Objects, LocalMemory)
{
    refused("ARMCI_Free_local", {"not local memory"}, [] { return ARMCI_Free_local(large); });
    void* const block = ARMCI_Malloc_local(100);
    refused("ARMCI_Free_local", {text_of(static_cast<char*>(block) + 1)},
            [&] { return ARMCI_Free_local(static_cast<char*>(block) + 1); });
    EXPECT_EQ(0, ARMCI_Free_local(block));
    refused("ARMCI_Free_local", {text_of(block), "freed already"}, [&] { return ARMCI_Free_local(block); });
    std::vector<long> wrong{-1, LONG_MIN};
    if (!address_sanitizer)
        wrong.push_back(LONG_MAX - 5000); // there it is the sanitizer that ends the process
    for (const long bytes : wrong) {
        std::string text;
        EXPECT_EQ(0, call_and_listen([&] { return ARMCI_Malloc_local(bytes); }, text));
        EXPECT_TRUE(is_one_message(text, "ARMCI_Malloc_local", {std::to_string(bytes) + " bytes"}));
    }
}

TEST_F(Objects, MemoryOfOneProcess)
{
    armci_meminfo_t info{};
    refused("ARMCI_Memget", {"meminfo is NULL"}, [] { return ARMCI_Memget(8, nullptr, 0); });
    refused("ARMCI_Memget", {"negative"}, [&] { return ARMCI_Memget(SIZE_MAX, &info, 0); });
    refused("ARMCI_Memget", {std::to_string(1L << 50) + " bytes asked", "available"},
            [&] { return ARMCI_Memget(std::size_t{1} << 50, &info, 0); });
    ASSERT_EQ(0, ARMCI_Memget(64, &info, 0));
    refused("ARMCI_Memdt", {"meminfo is NULL"}, [] { ARMCI_Memdt(nullptr, 0); });
    refused("ARMCI_Memctl", {"meminfo is NULL"}, [] { ARMCI_Memctl(nullptr); });
    const auto gives_null = [](armci_meminfo_t* of, long offset,
                               std::initializer_list<std::string> fragments) {
        std::string text;
        EXPECT_EQ(0, call_and_listen([&] { return ARMCI_Memat(of, offset); }, text));
        EXPECT_TRUE(is_one_message(text, "ARMCI_Memat", fragments));
    };
    gives_null(nullptr, 0, {"meminfo is NULL"});
    for (const long offset : {-1L, 64L, LONG_MAX}) {
        gives_null(&info, offset, {"offset is " + std::to_string(offset), "0 to 63"});
        refused("ARMCI_Memdt", {"offset is " + std::to_string(offset), "0 to 63"},
                [&] { ARMCI_Memdt(&info, offset); });
    }
    armci_meminfo_t other = info;
    other.cpid = processes;
    gives_null(&other, 0, {"process " + std::to_string(processes) + " does not exist"});
    refused("ARMCI_Memctl", {"made by process " + std::to_string(processes)}, [&] { ARMCI_Memctl(&other); });
    other = info;
    other.addr += 8;
    refused("ARMCI_Memctl", {"not memory that this process made"}, [&] { ARMCI_Memctl(&other); });
    ARMCI_Memctl(&info);
    refused("ARMCI_Memctl", {"freed already"}, [&] { ARMCI_Memctl(&info); });
    gives_null(&info, 0, {"lies in no global memory"});
}

TEST_F(Objects, DirectAccess)
{
    std::vector<void*> bases(processes);
    ASSERT_EQ(0, ARMCI_Malloc(bases.data(), 64));
    char* const mine = static_cast<char*>(bases[me]);
    int on_stack = 0;
    refused("ARMCI_Access_begin", {text_of(&on_stack), "no global memory of this process"},
            [&] { ARMCI_Access_begin(&on_stack); });
    refused("ARMCI_Access_begin", {"no global memory"}, [&] { ARMCI_Access_begin(mine + 64); });
    if (processes > 1 && same_node(me, target)) // on another node the address may be good, too
        refused("ARMCI_Access_begin", {"no global memory of this process"},
                [&] { ARMCI_Access_begin(bases[target]); });
    refused("ARMCI_Access_end", {"no global memory"}, [&] { ARMCI_Access_end(&on_stack); });
    refused("ARMCI_Access_end", {text_of(mine), "ARMCI_Access_begin was not called"},
            [&] { ARMCI_Access_end(mine); });
    ARMCI_Access_begin(mine + 8);
    ARMCI_Access_end(mine + 63);
    refused("ARMCI_Access_end", {"was not called"}, [&] { ARMCI_Access_end(mine); });
    refused("ARMCIX_Mode_get", {"no global memory"},
            [&] { return ARMCIX_Mode_get(&on_stack) != -1 ? 0 : -1; });
    ASSERT_EQ(0, ARMCI_Free(mine));
}

TEST_F(Objects, Topology)
{
    std::string text;
    const auto gives = [&](const char* name, long wanted, auto call,
                           std::initializer_list<std::string> fragments) {
        EXPECT_EQ(wanted, call_and_listen(call, text)) << name;
        EXPECT_TRUE(is_one_message(text, name, fragments));
    };
    const int many = processes;
    gives("armci_domain_nprocs", 0, [] { return armci_domain_nprocs(1, 0); },
          {"domain is 1", "ARMCI_DOMAIN_SMP"});
    gives("armci_domain_nprocs", 0, [] { return armci_domain_nprocs(ARMCI_DOMAIN_SMP, 99); },
          {"domain id is 99"});
    gives("armci_domain_id", -1, [] { return armci_domain_id(-1, 0); }, {"domain is -1"});
    gives("armci_domain_id", -1, [&] { return armci_domain_id(ARMCI_DOMAIN_SMP, many); }, {"does not exist"});
    gives("armci_domain_glob_proc_id", -1, [] { return armci_domain_glob_proc_id(7, 0, 0); },
          {"domain is 7"});
    gives("armci_domain_glob_proc_id", -1,
          [&] { return armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, many); },
          {"process " + std::to_string(many) + " of the domain"});
    gives("armci_domain_my_id", -1, [] { return armci_domain_my_id(7); }, {"domain is 7"});
    gives("armci_domain_count", 0, [] { return armci_domain_count(7); }, {"domain is 7"});
    gives("armci_domain_same_id", 0, [] { return armci_domain_same_id(7, 0); }, {"domain is 7"});
    gives("armci_domain_same_id", 0, [] { return armci_domain_same_id(ARMCI_DOMAIN_SMP, -1); },
          {"process -1"});
    gives("ARMCI_Same_node", 0, [] { return ARMCI_Same_node(-1); }, {"process -1 does not exist"});
}

} // namespace
} // namespace armci_test
