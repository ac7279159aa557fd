#include "armci/api.hpp"

#include "gmr/rmw.hpp"

extern "C" int PARMCI_Rmw(int op, void* local, void* remote, int value, int proc)
{
    return armci::gmr::read_modify_write("ARMCI_Rmw", op, local, remote, value, proc);
}

ARMCI_WEAK_ALIAS(ARMCI_Rmw, PARMCI_Rmw);
