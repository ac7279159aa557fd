#include "armci/api.hpp"

#include "iov/transfer.hpp"

using namespace armci;

extern "C" {

int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc)
{
    if (const int error = iov::check("ARMCI_PutV", iov, iov_len))
        return error;
    return iov::put("ARMCI_PutV", {iov, static_cast<std::size_t>(iov_len)}, proc);
}

int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc)
{
    if (const int error = iov::check("ARMCI_GetV", iov, iov_len))
        return error;
    return iov::get("ARMCI_GetV", {iov, static_cast<std::size_t>(iov_len)}, proc);
}

int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc)
{
    if (const int error = iov::check("ARMCI_AccV", iov, iov_len))
        return error;
    return iov::accumulate("ARMCI_AccV", datatype, scale, {iov, static_cast<std::size_t>(iov_len)}, proc);
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_PutV, PARMCI_PutV);
ARMCI_WEAK_ALIAS(ARMCI_GetV, PARMCI_GetV);
ARMCI_WEAK_ALIAS(ARMCI_AccV, PARMCI_AccV);
