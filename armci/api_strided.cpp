#include "armci/api.hpp"

#include "gmr/flag.hpp"
#include "strided/transfer.hpp"

using namespace armci;

namespace {

// With the caller's arguments in their places, calls of these two are jumps, and the short way before them
// builds no Request in memory. Neither keeps `levels`, which is known to be 1 there.
[[gnu::noinline]] int put_shape(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                                int levels, int proc)
{
    return strided::put_shape({"ARMCI_PutS", src, src_stride, dst, dst_stride, count, levels, proc});
}

[[gnu::noinline]] int get_shape(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                                int levels, int proc)
{
    return strided::get_shape({"ARMCI_GetS", src, src_stride, dst, dst_stride, count, levels, proc});
}

int put_with_flag(const strided::Request& request, int* flag, int value)
{
    const gmr::Flag target(request.call, flag, request.process);
    if (target.error() != 0)
        return target.error();
    if (const int error = strided::put(request))
        return error;
    target.raise(value);
    return 0;
}

} // namespace

extern "C" {

int PARMCI_PutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc)
{
    if (levels != 1)
        return put_shape(src, src_stride, dst, dst_stride, count, levels, proc);
    const strided::Request request{"ARMCI_PutS", src, src_stride, dst, dst_stride, count, 1, proc};
    if (strided::puts_rows(request))
        return strided::copy_rows(request);
    return put_shape(src, src_stride, dst, dst_stride, count, 1, proc);
}

int PARMCI_GetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc)
{
    if (levels != 1)
        return get_shape(src, src_stride, dst, dst_stride, count, levels, proc);
    const strided::Request request{"ARMCI_GetS", src, src_stride, dst, dst_stride, count, 1, proc};
    if (strided::gets_rows(request))
        return strided::copy_rows(request);
    return get_shape(src, src_stride, dst, dst_stride, count, 1, proc);
}

int PARMCI_AccS(int datatype, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                int levels, int proc)
{
    return strided::accumulate({"ARMCI_AccS", src, src_stride, dst, dst_stride, count, levels, proc},
                               datatype, scale);
}

int PARMCI_PutS_flag(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                     int* flag, int value, int proc)
{
    return put_with_flag({"ARMCI_PutS_flag", src, src_stride, dst, dst_stride, count, levels, proc}, flag,
                         value);
}

int PARMCI_PutS_flag_dir(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                         int* flag, int value, int proc)
{
    return put_with_flag({"ARMCI_PutS_flag_dir", src, src_stride, dst, dst_stride, count, levels, proc}, flag,
                         value);
}

void armci_write_strided(void* ptr, int levels, int* stride, int* count, char* buf)
{
    strided::pack("armci_write_strided", ptr, levels, stride, count, buf);
}

void armci_read_strided(void* ptr, int levels, int* stride, int* count, char* buf)
{
    strided::unpack("armci_read_strided", ptr, levels, stride, count, buf);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_PutS, PARMCI_PutS);
ARMCI_WEAK_ALIAS(ARMCI_GetS, PARMCI_GetS);
ARMCI_WEAK_ALIAS(ARMCI_AccS, PARMCI_AccS);
ARMCI_WEAK_ALIAS(ARMCI_PutS_flag, PARMCI_PutS_flag);
ARMCI_WEAK_ALIAS(ARMCI_PutS_flag_dir, PARMCI_PutS_flag_dir);
