// Wrong arguments of I/O-vector transfers. A mistake in the last segment must leave the first one unmoved.
#include "tests/errors/refusal.hpp"

#include <climits>
#include <cstdint>

namespace armci_test {
namespace {

class Vector : public Watched {
protected:
    static void refused_accumulate(std::initializer_list<std::string> fragments, int type, void* scale,
                                   armci_giov_t* iov, int length, int process)
    {
        refused("ARMCI_AccV", fragments, [&] { return ARMCI_AccV(type, scale, iov, length, process); });
        refused("ARMCI_NbAccV", fragments,
                [&] { return ARMCI_NbAccV(type, scale, iov, length, process, nullptr); });
    }
    // `iov` has the remote side as its destination.
    static void refused_by_all(std::initializer_list<std::string> fragments, armci_giov_t* iov, int length,
                               int process)
    {
        refused("ARMCI_PutV", fragments, [&] { return ARMCI_PutV(iov, length, process); });
        refused("ARMCI_NbPutV", fragments, [&] { return ARMCI_NbPutV(iov, length, process, nullptr); });
        refused_accumulate(fragments, ARMCI_ACC_INT, &one, iov, length, process);
        std::vector<armci_giov_t> back(iov, iov == nullptr || length < 0 ? iov : iov + length);
        for (armci_giov_t& one_way : back)
            std::swap(one_way.src_ptr_array, one_way.dst_ptr_array);
        armci_giov_t* const reversed = iov == nullptr ? nullptr : back.data();
        refused("ARMCI_GetV", fragments, [&] { return ARMCI_GetV(reversed, length, process); });
        refused("ARMCI_NbGetV", fragments, [&] { return ARMCI_NbGetV(reversed, length, process, nullptr); });
    }

    inline static int one = 1;
    void* source[3] = {origin.data(), origin.data() + 100, origin.data() + 200};
    void* remote[3] = {large, large + 100, small};
    armci_giov_t good{source, remote, 16, 3};
};

TEST_F(Vector, NumberOfDescriptors)
{
    refused_by_all({"number of descriptors is -1"}, &good, -1, target);
    refused_by_all({"descriptor array is NULL", "2 entries"}, nullptr, 2, target);
}

TEST_F(Vector, ProcessOutOfRange)
{
    for (const int process : {-1, processes, INT_MAX})
        refused_by_all({"process " + std::to_string(process) + " does not exist"}, &good, 1, process);
}

TEST_F(Vector, DescriptorFields)
{
    armci_giov_t iov[2] = {good, good};
    iov[1].bytes = -16;
    refused_by_all({"3 segments of -16 bytes"}, iov, 2, target);
    iov[1] = good;
    iov[1].ptr_array_len = -3;
    refused_by_all({"-3 segments of 16 bytes"}, iov, 2, target);
    iov[1] = good;
    iov[1].src_ptr_array = nullptr;
    refused_by_all({"address array is NULL", "3 entries"}, iov, 2, target);
    iov[1] = good;
    iov[1].dst_ptr_array = nullptr;
    refused_by_all({"address array is NULL"}, iov, 2, target);
}

TEST_F(Vector, OneSegmentOutside)
{
    void* wrong[3] = {large, large + 100, large + large_bytes - 8};
    armci_giov_t iov[2] = {good, {source, wrong, 16, 3}};
    refused_by_all({"16 bytes from " + text_of(wrong[2]), "8 bytes past the region's end"}, iov, 2, target);
    wrong[2] = nullptr;
    refused_by_all({"lies in no global memory"}, iov, 2, target);
    wrong[2] = &one;
    refused_by_all({"lies in no global memory"}, iov, 2, target);
    // The end wraps around, and lies below all others.
    wrong[2] = reinterpret_cast<void*>(UINTPTR_MAX - 7);
    refused_by_all({"lies in no global memory"}, iov + 1, 1, target);
}

TEST_F(Vector, Accumulate)
{
    double scale = 1;
    for (const int type : {-1, 6})
        refused_accumulate({"type is " + std::to_string(type)}, type, &scale, &good, 1, target);
    refused_accumulate({"scale is NULL"}, ARMCI_ACC_DBL, nullptr, &good, 1, target);
    armci_giov_t odd = good;
    odd.bytes = 12;
    remote[1] = large + 104;
    refused_accumulate({"a segment has 12 bytes"}, ARMCI_ACC_DBL, &scale, &odd, 1, target);
    remote[2] = small + small_bytes - 4; // misaligned, too
    refused_accumulate({"past the region's end"}, ARMCI_ACC_DBL, &scale, &good, 1, target);
}

} // namespace
} // namespace armci_test
