// An MPI that is as lazy as it may be: it holds puts and accumulates back, in copies, until a flush or unlock
// asks for them, and then carries large puts out in any order. What the library does not flush does not
// arrive, on any MPI; most of them carry it out at once.
//
// Accumulates stay in order with all operations on their target. So do small puts on Open MPI, whose pt2pt
// keeps them so (docs/mpi-facts.md). Operations of derived types and those with requests are not held.
#pragma once

#include <mpi.h>

namespace oracle::held {

// So many percent of the puts and accumulates of predefined types are held back. 0: none.
void start(int percent);

// As MPI's own.
int MPI_Put(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
int MPI_Get(void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
int MPI_Rput(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request*);
int MPI_Rget(void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request*);
int MPI_Accumulate(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win);
int MPI_Get_accumulate(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint, int,
                       MPI_Datatype, MPI_Op, MPI_Win);
int MPI_Raccumulate(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win,
                    MPI_Request*);
int MPI_Rget_accumulate(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint, int,
                        MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*);
int MPI_Fetch_and_op(const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win);
int MPI_Compare_and_swap(const void*, const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Win);
int MPI_Win_flush(int, MPI_Win);
int MPI_Win_flush_all(MPI_Win);
int MPI_Win_unlock(int, MPI_Win);
int MPI_Win_unlock_all(MPI_Win);
int MPI_Win_free(MPI_Win*);

} // namespace oracle::held
