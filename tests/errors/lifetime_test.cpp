// Calls before ARMCI_Init and after ARMCI_Finalize: each says so once, and does nothing.
#include "tests/errors/refusal.hpp"

#include <armcix.h>

#include <functional>
#include <map>

namespace armci_test {
namespace {

int number, zero = 0;
double real = 1;
void* pointers[64];
int count[2] = {4, 1};
int stride[1] = {4};
armci_giov_t iov{pointers, pointers, 4, 1};
armci_meminfo_t info;
ARMCI_Group group;
armci_hdl_t handle;

// Every call with a result that needs the library to run. Those without one (armci_msg_) end the job instead.
const std::map<std::string, std::function<void()>> calls{
    {"ARMCI_Malloc", [] { EXPECT_NE(0, ARMCI_Malloc(pointers, 8)); }},
    {"ARMCI_Free", [] { EXPECT_NE(0, ARMCI_Free(nullptr)); }},
    {"ARMCI_Malloc_group", [] { EXPECT_NE(0, ARMCI_Malloc_group(pointers, 8, nullptr)); }},
    {"ARMCI_Free_group", [] { EXPECT_NE(0, ARMCI_Free_group(nullptr, nullptr)); }},
    {"ARMCI_Malloc_memdev", [] { EXPECT_NE(0, ARMCI_Malloc_memdev(pointers, 8, "ram")); }},
    {"ARMCI_Malloc_group_memdev",
     [] { EXPECT_NE(0, ARMCI_Malloc_group_memdev(pointers, 8, nullptr, "ram")); }},
    {"ARMCI_Free_memdev", [] { EXPECT_NE(0, ARMCI_Free_memdev(nullptr)); }},
    {"ARMCI_Malloc_local", [] { EXPECT_EQ(nullptr, ARMCI_Malloc_local(8)); }},
    {"ARMCI_Memget", [] { EXPECT_NE(0, ARMCI_Memget(8, &info, 0)); }},
    {"ARMCI_Memat", [] { EXPECT_EQ(nullptr, ARMCI_Memat(&info, 0)); }},
    {"ARMCI_Memdt", [] { ARMCI_Memdt(&info, 0); }},
    {"ARMCI_Memctl", [] { ARMCI_Memctl(&info); }},
    {"ARMCI_Uses_shm_grp", [] { EXPECT_EQ(0, ARMCI_Uses_shm_grp(nullptr)); }},
    {"ARMCI_Put", [] { EXPECT_NE(0, ARMCI_Put(&number, &number, 4, 0)); }},
    {"ARMCI_Get", [] { EXPECT_NE(0, ARMCI_Get(&number, &number, 4, 0)); }},
    {"ARMCI_Acc", [] { EXPECT_NE(0, ARMCI_Acc(ARMCI_ACC_DBL, &real, &real, &real, 8, 0)); }},
    {"ARMCI_Put_flag", [] { EXPECT_NE(0, ARMCI_Put_flag(&number, &number, 4, &number, 1, 0)); }},
    {"ARMCI_PutValueInt", [] { EXPECT_NE(0, ARMCI_PutValueInt(1, &number, 0)); }},
    {"ARMCI_GetValueDouble", [] { EXPECT_EQ(0, ARMCI_GetValueDouble(&real, 0)); }},
    {"ARMCI_PutS", [] { EXPECT_NE(0, ARMCI_PutS(&number, stride, &number, stride, count, 1, 0)); }},
    {"ARMCI_GetS", [] { EXPECT_NE(0, ARMCI_GetS(&number, stride, &number, stride, count, 1, 0)); }},
    {"ARMCI_AccS",
     [] { EXPECT_NE(0, ARMCI_AccS(ARMCI_ACC_INT, &number, &number, stride, &number, stride, count, 1, 0)); }},
    {"ARMCI_PutS_flag",
     [] { EXPECT_NE(0, ARMCI_PutS_flag(&number, stride, &number, stride, count, 1, &number, 1, 0)); }},
    {"ARMCI_PutV", [] { EXPECT_NE(0, ARMCI_PutV(&iov, 1, 0)); }},
    {"ARMCI_GetV", [] { EXPECT_NE(0, ARMCI_GetV(&iov, 1, 0)); }},
    {"ARMCI_AccV", [] { EXPECT_NE(0, ARMCI_AccV(ARMCI_ACC_INT, &number, &iov, 1, 0)); }},
    {"ARMCI_NbPut", [] { EXPECT_NE(0, ARMCI_NbPut(&number, &number, 4, 0, &handle)); }},
    {"ARMCI_NbGet", [] { EXPECT_NE(0, ARMCI_NbGet(&number, &number, 4, 0, nullptr)); }},
    {"ARMCI_WaitProc", [] { EXPECT_NE(0, ARMCI_WaitProc(0)); }},
    {"ARMCI_WaitAll", [] { EXPECT_NE(0, ARMCI_WaitAll()); }},
    {"ARMCI_Fence", [] { ARMCI_Fence(0); }},
    {"ARMCI_AllFence", [] { ARMCI_AllFence(); }},
    {"ARMCI_GroupFence", [] { ARMCI_GroupFence(nullptr); }},
    {"ARMCI_Barrier", [] { ARMCI_Barrier(); }},
    {"armci_notify", [] { EXPECT_EQ(0, armci_notify(0)); }},
    {"armci_notify_wait", [] { EXPECT_NE(0, armci_notify_wait(0, &number)); }},
    {"ARMCI_Access_begin", [] { ARMCI_Access_begin(&number); }},
    {"ARMCI_Access_end", [] { ARMCI_Access_end(&number); }},
    {"ARMCIX_Mode_set", [] { EXPECT_NE(0, ARMCIX_Mode_set(0, &number, nullptr)); }},
    {"ARMCIX_Mode_get", [] { EXPECT_EQ(-1, ARMCIX_Mode_get(&number)); }},
    {"ARMCI_Rmw", [] { EXPECT_NE(0, ARMCI_Rmw(ARMCI_SWAP, &number, &number, 0, 0)); }},
    {"ARMCI_Create_mutexes", [] { EXPECT_NE(0, ARMCI_Create_mutexes(1)); }},
    {"ARMCI_Destroy_mutexes", [] { EXPECT_NE(0, ARMCI_Destroy_mutexes()); }},
    {"ARMCI_Lock", [] { ARMCI_Lock(0, 0); }},
    {"ARMCI_Unlock", [] { ARMCI_Unlock(0, 0); }},
    {"ARMCIX_Create_mutexes_hdl", [] { EXPECT_EQ(nullptr, ARMCIX_Create_mutexes_hdl(1, nullptr)); }},
    {"ARMCIX_Destroy_mutexes_hdl", [] { EXPECT_NE(0, ARMCIX_Destroy_mutexes_hdl(nullptr)); }},
    {"ARMCIX_Lock_hdl", [] { ARMCIX_Lock_hdl(nullptr, 0, 0); }},
    {"ARMCIX_Trylock_hdl", [] { EXPECT_NE(0, ARMCIX_Trylock_hdl(nullptr, 0, 0)); }},
    {"ARMCIX_Unlock_hdl", [] { ARMCIX_Unlock_hdl(nullptr, 0, 0); }},
    {"ARMCI_Group_create", [] { ARMCI_Group_create(1, &zero, &group); }},
    {"ARMCI_Group_create_child", [] { ARMCI_Group_create_child(1, &zero, &group, nullptr); }},
    {"ARMCI_Group_free", [] { ARMCI_Group_free(&group); }},
    {"ARMCI_Group_rank", [] { EXPECT_NE(0, ARMCI_Group_rank(&group, &number)); }},
    {"ARMCI_Group_size", [] { ARMCI_Group_size(&group, &number); }},
    {"ARMCI_Group_set_default", [] { ARMCI_Group_set_default(&group); }},
    {"ARMCI_Group_get_default", [] { ARMCI_Group_get_default(&group); }},
    {"ARMCI_Group_get_world", [] { ARMCI_Group_get_world(&group); }},
    {"ARMCI_Absolute_id", [] { EXPECT_EQ(-1, ARMCI_Absolute_id(&group, 0)); }},
    {"ARMCIX_Group_split", [] { EXPECT_NE(0, ARMCIX_Group_split(&group, 0, 0, &group)); }},
    {"ARMCIX_Group_dup", [] { EXPECT_NE(0, ARMCIX_Group_dup(&group, &group)); }},
    {"armci_domain_nprocs", [] { EXPECT_EQ(0, armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1)); }},
    {"armci_domain_id", [] { EXPECT_EQ(-1, armci_domain_id(ARMCI_DOMAIN_SMP, 0)); }},
    {"armci_domain_glob_proc_id", [] { EXPECT_EQ(-1, armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, 0)); }},
    {"armci_domain_my_id", [] { EXPECT_EQ(-1, armci_domain_my_id(ARMCI_DOMAIN_SMP)); }},
    {"armci_domain_count", [] { EXPECT_EQ(0, armci_domain_count(ARMCI_DOMAIN_SMP)); }},
    {"armci_domain_same_id", [] { EXPECT_EQ(0, armci_domain_same_id(ARMCI_DOMAIN_SMP, 0)); }},
    {"ARMCI_Same_node", [] { EXPECT_EQ(0, ARMCI_Same_node(0)); }},
    {"ARMCIX_Progress", [] { ARMCIX_Progress(); }},
};

void expect_all_refused(const std::string& start, std::initializer_list<const char*> reasons)
{
    number = 5;
    real = 1;
    for (const auto& [name, call] : calls) {
        const std::string text = stderr_of(call);
        EXPECT_EQ(1, std::count(text.begin(), text.end(), '\n')) << name << ": " << text;
        EXPECT_TRUE(text.starts_with(start)) << text;
        EXPECT_NE(std::string::npos, text.find(": " + name + ": ")) << text;
        EXPECT_TRUE(std::any_of(reasons.begin(), reasons.end(), [&](const char* reason) {
            return text.find(reason) != std::string::npos;
        })) << text;
    }
    EXPECT_EQ(5, number);
    EXPECT_EQ(1, real);
    EXPECT_EQ(0, ARMCI_Initialized());
    EXPECT_EQ(0, ARMCI_Uses_shm());
}

// One life after another, so that what the last one left is tried too.
TEST(Lifetime, CallsOutsideIt)
{
    const char* const outside = "called outside ARMCI_Init ... ARMCI_Finalize";
    expect_all_refused("armci: pid ", {"called before ARMCI_Init", outside});
    const std::string never = stderr_of([] { EXPECT_NE(0, ARMCI_Finalize()); });
    EXPECT_NE(std::string::npos, never.find("ARMCI_Finalize: the library was never started")) << never;
    for (int life = 0; life < 2; ++life) {
        SCOPED_TRACE(life);
        ASSERT_EQ(0, ARMCI_Init());
        EXPECT_EQ(1, ARMCI_Initialized());
        ASSERT_EQ(0, ARMCI_Malloc(pointers, 8));
        ARMCI_Barrier();
        EXPECT_EQ(0, ARMCI_PutValueInt(7, pointers[0], 0));
        ARMCI_Barrier();
        EXPECT_EQ(7, ARMCI_GetValueInt(pointers[0], 0));
        ASSERT_EQ(0, ARMCI_Finalize());
        expect_all_refused("armci: rank ", {"called after ARMCI_Finalize", outside});
        EXPECT_EQ("", stderr_of([] { EXPECT_EQ(0, ARMCI_Finalize()); })); // one more does nothing
    }
}

} // namespace
} // namespace armci_test
