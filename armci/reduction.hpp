// Reduction: elements and operators of armci_msg_ reductions, and folding in memory as MPI does it.
#pragma once

#include "armci/reduction_operator.hpp"

#include <mpi.h>

#include <cstddef>

namespace armci::message {

struct Element {
    MPI_Datatype type;
    MPI_Datatype with_rank; // the pair type that MPI_MINLOC takes
    int size;
    bool integer;
};

// Of an ARMCI type; an unknown one ends the job.
Element element(const char* call, int type);

// The operator that `operation` names, legal for the type; anything else ends the job.
Operator operator_of(const char* call, const char* operation, int type, const Element& kind);

// What ARMCI's operators have beyond MPI's happens to x before: absmin and absmax compare and give absolute
// values, logical operators give 0 and 1, also where only one process takes part. Gives the MPI operator for
// the rest.
MPI_Op prepare(Operator op, void* x, int count, int type);

// into[i] = into[i] op from[i], for what prepare() gives.
void fold(void* into, const std::byte* from, std::size_t count, MPI_Op op, int type);

} // namespace armci::message
