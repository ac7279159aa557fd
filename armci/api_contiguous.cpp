#include "armci/api.hpp"

#include "gmr/contiguous.hpp"
#include "gmr/flag.hpp"

using namespace armci;

namespace {

template <class T>
int put_value(const char* call, T value, void* dst, int proc)
{
    return gmr::put(call, &value, dst, sizeof value, proc);
}

template <class T>
T get_value(const char* call, void* src, int proc)
{
    T value{};
    gmr::get(call, src, &value, sizeof value, proc);
    return value;
}

} // namespace

extern "C" {

int PARMCI_Put(void* src, void* dst, int bytes, int proc)
{
    return gmr::put("ARMCI_Put", src, dst, bytes, proc);
}

int PARMCI_Get(void* src, void* dst, int bytes, int proc)
{
    return gmr::get("ARMCI_Get", src, dst, bytes, proc);
}

int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc)
{
    return gmr::accumulate("ARMCI_Acc", datatype, scale, src, dst, bytes, proc);
}

int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc)
{
    const gmr::Flag target("ARMCI_Put_flag", flag, proc);
    if (target.error() != 0)
        return target.error();
    if (const int error = gmr::put("ARMCI_Put_flag", src, dst, bytes, proc))
        return error;
    target.raise(value);
    return 0;
}

void PARMCI_Copy(void* src, void* dst, int bytes)
{
    if (bytes < 0)
        gmr::reject_size("ARMCI_Copy", bytes);
    else
        gmr::kernels::copy(dst, src, static_cast<std::size_t>(bytes));
}

int PARMCI_PutValueInt(int src, void* dst, int proc)
{
    return put_value("ARMCI_PutValueInt", src, dst, proc);
}
int PARMCI_PutValueLong(long src, void* dst, int proc)
{
    return put_value("ARMCI_PutValueLong", src, dst, proc);
}
int PARMCI_PutValueFloat(float src, void* dst, int proc)
{
    return put_value("ARMCI_PutValueFloat", src, dst, proc);
}
int PARMCI_PutValueDouble(double src, void* dst, int proc)
{
    return put_value("ARMCI_PutValueDouble", src, dst, proc);
}

int PARMCI_GetValueInt(void* src, int proc)
{
    return get_value<int>("ARMCI_GetValueInt", src, proc);
}
long PARMCI_GetValueLong(void* src, int proc)
{
    return get_value<long>("ARMCI_GetValueLong", src, proc);
}
float PARMCI_GetValueFloat(void* src, int proc)
{
    return get_value<float>("ARMCI_GetValueFloat", src, proc);
}
double PARMCI_GetValueDouble(void* src, int proc)
{
    return get_value<double>("ARMCI_GetValueDouble", src, proc);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Put, PARMCI_Put);
ARMCI_WEAK_ALIAS(ARMCI_Get, PARMCI_Get);
ARMCI_WEAK_ALIAS(ARMCI_Acc, PARMCI_Acc);
ARMCI_WEAK_ALIAS(ARMCI_Put_flag, PARMCI_Put_flag);
ARMCI_WEAK_ALIAS(ARMCI_Copy, PARMCI_Copy);
ARMCI_WEAK_ALIAS(ARMCI_PutValueInt, PARMCI_PutValueInt);
ARMCI_WEAK_ALIAS(ARMCI_PutValueLong, PARMCI_PutValueLong);
ARMCI_WEAK_ALIAS(ARMCI_PutValueFloat, PARMCI_PutValueFloat);
ARMCI_WEAK_ALIAS(ARMCI_PutValueDouble, PARMCI_PutValueDouble);
ARMCI_WEAK_ALIAS(ARMCI_GetValueInt, PARMCI_GetValueInt);
ARMCI_WEAK_ALIAS(ARMCI_GetValueLong, PARMCI_GetValueLong);
ARMCI_WEAK_ALIAS(ARMCI_GetValueFloat, PARMCI_GetValueFloat);
ARMCI_WEAK_ALIAS(ARMCI_GetValueDouble, PARMCI_GetValueDouble);
