/* A program of the days when ARMCI ran on several message layers: all of MPI that it knows is mp3.h. Each
 * process puts its number into the memory of the next, and all add up what came. */
#include <mp3.h>

#include <armci.h>
#include <message.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int me = -1;
    int processes = 0;
    double began;
    void** memory;
    int sum;

    MP_INIT(argc, argv);
    MP_PROCS(&processes);
    MP_MYID(&me);
    ARMCI_INIT(argc, argv);
    began = MP_TIMER();
    memory = malloc((size_t)processes * sizeof *memory);
    if (memory == NULL || ARMCI_Malloc(memory, sizeof me) != 0)
        ARMCI_Error("no memory", 1);
    ARMCI_Put(&me, memory[(me + 1) % processes], sizeof me, (me + 1) % processes);
    ARMCI_AllFence();
    MP_BARRIER();
    sum = *(int*)memory[me];
    armci_msg_igop(&sum, 1, "+");
    ARMCI_Free(memory[me]);
    free(memory);
    if (sum != processes * (processes - 1) / 2 || MP_TIMER() < began)
        ARMCI_Error("wrong sum", sum);
    if (me == 0)
        printf("%d processes\n", processes);
    ARMCI_Finalize();
    MP_FINALIZE();
    return 0;
}
