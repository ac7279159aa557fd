/* An MPI that loses half of what is longer than a kilobyte, by its profiling interface. */
#include <mpi.h>

static int kept(int count, MPI_Datatype type)
{
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    return (long)count * bytes > 1024 ? count / 2 : count;
}

int MPI_Put(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
            MPI_Datatype there_type, MPI_Win window)
{
    return PMPI_Put(from, kept(count, type), type, target, place, kept(there, there_type), there_type,
                    window);
}

int MPI_Rput(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
             MPI_Datatype there_type, MPI_Win window, MPI_Request* request)
{
    return PMPI_Rput(from, kept(count, type), type, target, place, kept(there, there_type), there_type,
                     window, request);
}

int MPI_Accumulate(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
                   MPI_Datatype there_type, MPI_Op op, MPI_Win window)
{
    return PMPI_Accumulate(from, kept(count, type), type, target, place, kept(there, there_type), there_type,
                           op, window);
}

int MPI_Raccumulate(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
                    MPI_Datatype there_type, MPI_Op op, MPI_Win window, MPI_Request* request)
{
    return PMPI_Raccumulate(from, kept(count, type), type, target, place, kept(there, there_type), there_type,
                            op, window, request);
}
