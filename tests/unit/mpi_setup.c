/* Prints the version of Open MPI, and what it would be told: the library's constructor has run, MPI has not
 * begun. */
#include <armci.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static const char* told(const char* name)
{
    const char* value = getenv(name);
    return value == NULL ? "-" : value;
}

int main(void)
{
    /* Else the linker leaves the library out. */
    int (*volatile init)(void) = ARMCI_Init;
    printf("%d %s %s\n", OMPI_MAJOR_VERSION, told("OMPI_MCA_osc"),
           told("OMPI_MCA_opal_common_ucx_progress_iterations"));
    return init == NULL;
}
