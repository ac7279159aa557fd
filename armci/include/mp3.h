/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARMCI_MP3_H_
#define ARMCI_MP3_H_

/* Names for the few start-up calls that programs written for several message layers use, mapped to MPI.
 * Arguments and results are those of the MPI call; MP_INIT takes argc and argv themselves, not their
 * addresses. */

#include <mpi.h>

#define MP_INIT(ARGC, ARGV) MPI_Init(&(ARGC), &(ARGV))
#define MP_FINALIZE() MPI_Finalize()
#define MP_BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#define MP_PROCS(X) MPI_Comm_size(MPI_COMM_WORLD, X)
#define MP_MYID(X) MPI_Comm_rank(MPI_COMM_WORLD, X)
#define MP_TIMER() MPI_Wtime()

#define GA_INIT(ARGC, ARGV) GA_Initialize()
#define ARMCI_INIT(ARGC, ARGV) ARMCI_Init()

#endif /* ARMCI_MP3_H_ */
