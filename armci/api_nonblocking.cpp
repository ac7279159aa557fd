#include "armci/api.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/contiguous.hpp"
#include "gmr/memory/miss.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/transfer/handle.hpp"
#include "gmr/transfer/remote.hpp"
#include "iov/transfer.hpp"
#include "strided/transfer.hpp"

using namespace armci;

namespace {

// Load/store leaves nothing pending.
void finish(const char* call, int process)
{
    const observe::Waiting waiting(call, observe::Wait::handle);
    if (gmr::peers.network && process == gmr::all_processes)
        gmr::remote::finish_all();
    else if (gmr::peers.network)
        gmr::remote::finish(process);
    if (check::active)
        check::completed(call, process, true, true);
}

} // namespace

extern "C" {

void PARMCI_INIT_HANDLE(armci_hdl_t* handle)
{
    if (gmr::handle::check("ARMCI_INIT_HANDLE", handle) != 0)
        return;
    if (check::active) [[unlikely]]
        check::renewed("ARMCI_INIT_HANDLE", handle);
    gmr::handle::initialise(*handle);
}

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle)
{
    if (gmr::handle::check("ARMCI_SET_AGGREGATE_HANDLE", handle) == 0)
        gmr::handle::set_aggregate(*handle, true);
}

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle)
{
    if (gmr::handle::check("ARMCI_UNSET_AGGREGATE_HANDLE", handle) == 0)
        gmr::handle::set_aggregate(*handle, false);
}

int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle)
{
    return gmr::put("ARMCI_NbPut", src, dst, bytes, proc, gmr::Issue::nonblocking(handle));
}

int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle)
{
    return gmr::get("ARMCI_NbGet", src, dst, bytes, proc, gmr::Issue::nonblocking(handle));
}

int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* handle)
{
    return gmr::accumulate("ARMCI_NbAcc", datatype, scale, src, dst, bytes, proc,
                           gmr::Issue::nonblocking(handle));
}

int PARMCI_NbPutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc,
                  armci_hdl_t* handle)
{
    return strided::put({"ARMCI_NbPutS", src, src_stride, dst, dst_stride, count, levels, proc,
                         gmr::Issue::nonblocking(handle)});
}

int PARMCI_NbGetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc,
                  armci_hdl_t* handle)
{
    return strided::get({"ARMCI_NbGetS", src, src_stride, dst, dst_stride, count, levels, proc,
                         gmr::Issue::nonblocking(handle)});
}

int PARMCI_NbAccS(int datatype, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                  int* count, int levels, int proc, armci_hdl_t* handle)
{
    return strided::accumulate({"ARMCI_NbAccS", src, src_stride, dst, dst_stride, count, levels, proc,
                                gmr::Issue::nonblocking(handle)},
                               datatype, scale);
}

int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle)
{
    if (const int error = iov::check("ARMCI_NbPutV", iov, iov_len))
        return error;
    return iov::put("ARMCI_NbPutV", {iov, static_cast<std::size_t>(iov_len)}, proc,
                    gmr::Issue::nonblocking(handle));
}

int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle)
{
    if (const int error = iov::check("ARMCI_NbGetV", iov, iov_len))
        return error;
    return iov::get("ARMCI_NbGetV", {iov, static_cast<std::size_t>(iov_len)}, proc,
                    gmr::Issue::nonblocking(handle));
}

int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle)
{
    if (const int error = iov::check("ARMCI_NbAccV", iov, iov_len))
        return error;
    return iov::accumulate("ARMCI_NbAccV", datatype, scale, {iov, static_cast<std::size_t>(iov_len)}, proc,
                           gmr::Issue::nonblocking(handle));
}

// The value lives on the stack, so it is on its way, and the stack free again, when the call returns.
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t*)
{
    return gmr::put("ARMCI_NbPutValueInt", &src, dst, sizeof src, proc);
}

int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t*)
{
    return gmr::put("ARMCI_NbPutValueLong", &src, dst, sizeof src, proc);
}

int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t*)
{
    return gmr::put("ARMCI_NbPutValueFloat", &src, dst, sizeof src, proc);
}

int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t*)
{
    return gmr::put("ARMCI_NbPutValueDouble", &src, dst, sizeof src, proc);
}

int PARMCI_Wait(armci_hdl_t* handle)
{
    if (const int error = gmr::handle::check("ARMCI_Wait", handle))
        return error;
    gmr::handle::wait(*handle);
    if (check::active) [[unlikely]]
        check::waited("ARMCI_Wait", handle);
    return 0;
}

int PARMCI_Test(armci_hdl_t* handle)
{
    if (const int error = gmr::handle::check("ARMCI_Test", handle))
        return error;
    if (!gmr::handle::test(*handle))
        return 1;
    if (check::active) [[unlikely]]
        check::waited("ARMCI_Test", handle);
    return 0;
}

int PARMCI_WaitProc(int proc)
{
    if (const int error = gmr::check_process("ARMCI_WaitProc", proc))
        return error;
    if (!gmr::peers.quiet)
        finish("ARMCI_WaitProc", proc);
    return 0;
}

int PARMCI_WaitAll(void)
{
    if (running("ARMCI_WaitAll") == nullptr)
        return diag::rejected;
    if (!gmr::peers.quiet)
        finish("ARMCI_WaitAll", gmr::all_processes);
    return 0;
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_INIT_HANDLE, PARMCI_INIT_HANDLE);
ARMCI_WEAK_ALIAS(ARMCI_SET_AGGREGATE_HANDLE, PARMCI_SET_AGGREGATE_HANDLE);
ARMCI_WEAK_ALIAS(ARMCI_UNSET_AGGREGATE_HANDLE, PARMCI_UNSET_AGGREGATE_HANDLE);
ARMCI_WEAK_ALIAS(ARMCI_NbPut, PARMCI_NbPut);
ARMCI_WEAK_ALIAS(ARMCI_NbGet, PARMCI_NbGet);
ARMCI_WEAK_ALIAS(ARMCI_NbAcc, PARMCI_NbAcc);
ARMCI_WEAK_ALIAS(ARMCI_NbPutS, PARMCI_NbPutS);
ARMCI_WEAK_ALIAS(ARMCI_NbGetS, PARMCI_NbGetS);
ARMCI_WEAK_ALIAS(ARMCI_NbAccS, PARMCI_NbAccS);
ARMCI_WEAK_ALIAS(ARMCI_NbPutV, PARMCI_NbPutV);
ARMCI_WEAK_ALIAS(ARMCI_NbGetV, PARMCI_NbGetV);
ARMCI_WEAK_ALIAS(ARMCI_NbAccV, PARMCI_NbAccV);
ARMCI_WEAK_ALIAS(ARMCI_NbPutValueInt, PARMCI_NbPutValueInt);
ARMCI_WEAK_ALIAS(ARMCI_NbPutValueLong, PARMCI_NbPutValueLong);
ARMCI_WEAK_ALIAS(ARMCI_NbPutValueFloat, PARMCI_NbPutValueFloat);
ARMCI_WEAK_ALIAS(ARMCI_NbPutValueDouble, PARMCI_NbPutValueDouble);
ARMCI_WEAK_ALIAS(ARMCI_Wait, PARMCI_Wait);
ARMCI_WEAK_ALIAS(ARMCI_Test, PARMCI_Test);
ARMCI_WEAK_ALIAS(ARMCI_WaitProc, PARMCI_WaitProc);
ARMCI_WEAK_ALIAS(ARMCI_WaitAll, PARMCI_WaitAll);
