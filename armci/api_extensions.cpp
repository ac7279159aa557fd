#include "armci/api.hpp"

#include "armci/include/armcix.h"

extern "C" void PARMCIX_Progress(void)
{
    if (armci::running("ARMCIX_Progress") != nullptr)
        armci::progress_mpi();
}

ARMCI_WEAK_ALIAS(ARMCIX_Progress, PARMCIX_Progress);
