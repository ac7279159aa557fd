// Wrong arguments of strided transfers.
#include "tests/errors/refusal.hpp"

#include <climits>

namespace armci_test {
namespace {

class Strided : public Watched {
protected:
    // The patch on the remote side has `remote_stride`, that on the other side `mine`.
    static void refused_by_all(std::initializer_list<std::string> fragments, void* remote, int* remote_stride,
                               int* count, int levels, int* mine)
    {
        char* const local = origin.data();
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        int* const flag = reinterpret_cast<int*>(small);
        refused("ARMCI_PutS", fragments,
                [&] { return ARMCI_PutS(local, mine, remote, remote_stride, count, levels, target); });
        refused("ARMCI_GetS", fragments,
                [&] { return ARMCI_GetS(remote, remote_stride, local, mine, count, levels, target); });
        refused("ARMCI_NbPutS", fragments, [&] {
            return ARMCI_NbPutS(local, mine, remote, remote_stride, count, levels, target, &handle);
        });
        refused("ARMCI_NbGetS", fragments, [&] {
            return ARMCI_NbGetS(remote, remote_stride, local, mine, count, levels, target, &handle);
        });
        refused("ARMCI_PutS_flag", fragments, [&] {
            return ARMCI_PutS_flag(local, mine, remote, remote_stride, count, levels, flag, 7, target);
        });
        refused("ARMCI_PutS_flag_dir", fragments, [&] {
            return ARMCI_PutS_flag_dir(local, mine, remote, remote_stride, count, levels, flag, 7, target);
        });
        refused_accumulate(fragments, ARMCI_ACC_INT, &one, remote, remote_stride, count, levels, mine);
    }
    static void refused_accumulate(std::initializer_list<std::string> fragments, int type, void* scale,
                                   void* remote, int* remote_stride, int* count, int levels, int* mine)
    {
        char* const local = origin.data();
        refused("ARMCI_AccS", fragments, [&] {
            return ARMCI_AccS(type, scale, local, mine, remote, remote_stride, count, levels, target);
        });
        refused("ARMCI_NbAccS", fragments, [&] {
            return ARMCI_NbAccS(type, scale, local, mine, remote, remote_stride, count, levels, target,
                                nullptr);
        });
    }

    inline static int one = 1;
    inline static int stride[7] = {64, 640, 640, 640, 640, 640, 640};
    inline static int packed[7] = {16, 64, 64, 64, 64, 64, 64};
    inline static int count[8] = {16, 4, 1, 1, 1, 1, 1, 1};
};

TEST_F(Strided, Levels)
{
    for (const int levels : {-1, 8, INT_MAX, INT_MIN})
        refused_by_all({"stride_levels is " + std::to_string(levels), "0 to 7"}, large, stride, count, levels,
                       packed);
}

TEST_F(Strided, MissingArrays)
{
    refused_by_all({"count is NULL", "2 entries"}, large, stride, nullptr, 1, packed);
    refused_by_all({"stride array is NULL", "1 entries"}, large, nullptr, count, 1, packed);
    refused_by_all({"stride array is NULL", "2 entries"}, large, stride, count, 2, nullptr);
}

TEST_F(Strided, NegativeCounts)
{
    for (int level = 0; level < 3; ++level) {
        int wrong[3] = {16, 4, 2};
        wrong[level] = -4;
        const std::string named = "count[" + std::to_string(level) + "] is -4";
        refused_by_all({named}, large, stride, wrong, 2, packed);
        char buffer[256] = "";
        refused("armci_write_strided", {named},
                [&] { armci_write_strided(origin.data(), 2, stride, wrong, buffer); });
        refused("armci_read_strided", {named},
                [&] { armci_read_strided(origin.data(), 2, stride, wrong, buffer); });
    }
    char buffer[8] = "";
    refused("armci_write_strided", {"stride_levels is 8"},
            [&] { armci_write_strided(origin.data(), 8, stride, count, buffer); });
    refused("armci_read_strided", {"count is NULL"},
            [&] { armci_read_strided(origin.data(), 1, stride, nullptr, buffer); });
}

TEST_F(Strided, ProcessOutOfRange)
{
    refused("ARMCI_PutS", {"process " + std::to_string(processes) + " does not exist"},
            [] { return ARMCI_PutS(origin.data(), packed, large, stride, count, 1, processes); });
    refused("ARMCI_GetS", {"process -1 does not exist"},
            [] { return ARMCI_GetS(large, stride, origin.data(), packed, count, 1, -1); });
}

TEST_F(Strided, PatchLeavesTheRegion)
{
    // 4 segments of 16 bytes, 64 apart, span 208 bytes: one element too far at the end ...
    refused_by_all({"208 bytes from", "6 bytes past the region's end"}, large + large_bytes - 202, stride,
                   count, 1, packed);
    // ... at the start, downwards ...
    int down[1] = {-64};
    refused_by_all({"lies in no global memory"}, large + 188, down, count, 1, packed);
    // ... and by a stride that jumps over the end and back, to before the start: where MPI finds the memory,
    // the region before this one may lie there or not.
    int there_and_back[2] = {100'000, -100'000};
    int three[3] = {16, 2, 2};
    refused_by_all({text_of(large + 16 - 100'000)}, large + 16, there_and_back, three, 2, packed);
    // A wide stride, wholly inside the neighbour but for the first segment.
    int wide[1] = {140'000};
    int two[2] = {16, 2};
    refused_by_all({"past the region's end"}, large, wide, two, 1, packed);
}

// Sums of (count - 1) * stride that are a small number modulo 2^64.
TEST_F(Strided, ExtentThatWrapsAround)
{
    int wrapping[7] = {INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, 4};
    int many[8] = {16, INT_MAX, INT_MAX, INT_MAX, (1 << 30) + 1, (1 << 30) + 1, 11, 2};
    refused_by_all({}, large, wrapping, many, 7, packed);
    int down[7];
    for (int i = 0; i < 7; ++i)
        down[i] = -wrapping[i];
    refused_by_all({}, large, down, many, 7, packed);
}

TEST_F(Strided, Accumulate)
{
    double scale = 1;
    for (const int type : {-1, 6})
        refused_accumulate({"type is " + std::to_string(type)}, type, &scale, large, stride, count, 1,
                           packed);
    refused_accumulate({"scale is NULL"}, ARMCI_ACC_DBL, nullptr, large, stride, count, 1, packed);
    int odd[2] = {12, 4};
    refused_accumulate({"a segment has 12 bytes", "multiple of 8"}, ARMCI_ACC_DBL, &scale, large, stride, odd,
                       1, packed);
    int crooked[2] = {1 << 20, 68}; // misaligned, and past the end
    int far[3] = {16, 1000, 4};
    refused_accumulate({"past the region's end"}, ARMCI_ACC_DBL, &scale, large, crooked, far, 2, packed);
}

TEST_F(Strided, Flag)
{
    refused("ARMCI_PutS_flag", {"flag address", "misaligned"}, [] {
        return ARMCI_PutS_flag(origin.data(), packed, large, stride, count, 1,
                               reinterpret_cast<int*>(small + 1), 7, target);
    });
    refused("ARMCI_PutS_flag_dir", {"lies in no global memory"}, [] {
        return ARMCI_PutS_flag_dir(origin.data(), packed, large, stride, count, 1, nullptr, 7, target);
    });
}

} // namespace
} // namespace armci_test
