// Ways to start and to end: what they have in common. Each file of this folder has the ways of one sort.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <map>
#include <string>

namespace lives {

using Ways = std::map<std::string, void (*)()>; // by name

const Ways& who_starts_mpi();
const Ways& again();
const Ways& communicators();
const Ways& little_room();
const Ways& no_finalize();

inline int failures = 0;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                     \
            ++lives::failures;                                                                               \
        }                                                                                                    \
    } while (false)

inline bool mpi_is_finalized()
{
    int flag = 0;
    MPI_Finalized(&flag);
    return flag != 0;
}

inline int world_size()
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

inline int world_rank()
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

// Puts round a ring, an accumulate by all on one, a mutex.
void use();

} // namespace lives
