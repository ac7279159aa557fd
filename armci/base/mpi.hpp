// Owners of MPI objects, and the check that every MPI call of the library goes through.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>

namespace armci::mpi {

// Ends the job with MPI's own text for `code`. `call` names the MPI function.
[[noreturn, gnu::cold]] void fail(int code, const char* call);

inline void check(int code, const char* call)
{
    if (code != MPI_SUCCESS) [[unlikely]]
        fail(code, call);
}

// Bytes of one element of a predefined type.
std::size_t size_of(MPI_Datatype type);

// Waits for a request, giving the core away between looks: others may need it to finish their part.
void finish(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE);

// Collective calls that wait by finish(): MPI's own ones may spin, and burn a time slice for each message
// where processes outnumber cores.
//
// These two send messages of their own in `comm` (armci/base/doubling.hpp). A barrier tells whether all said
// `mine`.
bool barrier(MPI_Comm comm, bool mine = true);
void allgather(const void* mine, void* all, int bytes, MPI_Comm comm);
// These leave the messages of `comm` to the program. allreduce changes `values` in place.
void meet(MPI_Comm comm);
void allreduce(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void broadcast(void* data, int bytes, int root, MPI_Comm comm);
// True where `mine` is true on all.
bool all_say(MPI_Comm comm, bool mine);

// True between MPI_Init and MPI_Finalize.
bool running();

// Owns a communicator; frees it unless MPI has ended before.
class Comm {
public:
    Comm() = default;
    explicit Comm(MPI_Comm comm) noexcept : comm_(comm) {}
    Comm(Comm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
    Comm& operator=(Comm&& other) noexcept
    {
        std::swap(comm_, other.comm_);
        return *this;
    }
    Comm(const Comm&) = delete;
    Comm& operator=(const Comm&) = delete;
    ~Comm();

    MPI_Comm get() const noexcept { return comm_; }
    bool valid() const noexcept { return comm_ != MPI_COMM_NULL; }
    int rank() const;
    int size() const;

    // All three are collective over the communicator they are given. The results report errors to check().
    static Comm duplicate(MPI_Comm comm);
    static Comm split(MPI_Comm comm, int color, int key);
    static Comm split_by_node(MPI_Comm comm, int key);
    // Collective over the listed members only (MPI-3, 6.4.2); `members` are ranks of `parent`.
    static Comm create_from_members(MPI_Comm parent, const int* members, int count, int tag);

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

// Owns a committed derived datatype.
class Datatype {
public:
    // Takes over what an MPI_Type_create function made, and commits it.
    explicit Datatype(MPI_Datatype made);
    Datatype(const Datatype&) = delete;
    Datatype& operator=(const Datatype&) = delete;
    ~Datatype();

    MPI_Datatype get() const noexcept { return type_; }

private:
    MPI_Datatype type_;
};

// Owns a reduction operator.
class Op {
public:
    Op() = default;
    Op(MPI_User_function* function, bool commutative);
    Op(Op&& other) noexcept : op_(std::exchange(other.op_, MPI_OP_NULL)) {}
    Op& operator=(Op&& other) noexcept
    {
        std::swap(op_, other.op_);
        return *this;
    }
    Op(const Op&) = delete;
    Op& operator=(const Op&) = delete;
    ~Op();

    MPI_Op get() const noexcept { return op_; }

private:
    MPI_Op op_ = MPI_OP_NULL;
};

} // namespace armci::mpi
