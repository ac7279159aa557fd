#include "armci/base/mpi.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/thread_turns.hpp"
#include "armci/base/wait.hpp"

namespace armci::mpi {

void fail(int code, const char* call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    diag::fatal(call, "MPI reports error %d: %s", code, text);
}

std::size_t size_of(MPI_Datatype type)
{
    int bytes = 0;
    check(MPI_Type_size(type, &bytes), "MPI_Type_size");
    return static_cast<std::size_t>(bytes);
}

void finish(MPI_Request& request, MPI_Status* status)
{
    // Where each process has a core, a yield soon after the start would come when an answer is due.
    const unsigned looks_before_yield = wait::spin_rounds() > 0 ? 100 : 20;
    constexpr unsigned looks_before_nap = 2; // what one look reads from a socket the next one carries out
    constexpr unsigned looks_before_progress = 1000; // which sees whether the job still exists
    constexpr unsigned looks_before_serving = 4;
    wait::Turns turns;
    wait::Serving serving;
    for (unsigned look = 1;; ++look) {
        int done = 0;
        if (const traits::Turn turn; turn)
            check(MPI_Test(&request, &done, status), "MPI_Test");
        if (done != 0)
            return;
        if (look % looks_before_serving == 0)
            serving.serve();
        if (look % (turns.naps() ? looks_before_nap : looks_before_yield) == 0)
            turns.take_in_mpi();
        if (look % looks_before_progress == 0)
            wait::progress();
    }
}

bool all_say(MPI_Comm comm, bool mine)
{
    int yes = mine ? 1 : 0;
    allreduce(&yes, 1, MPI_INT, MPI_LAND, comm);
    return yes != 0;
}

void meet(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
    finish(request);
}

void allreduce(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, comm, &request), "MPI_Iallreduce");
    finish(request);
}

void broadcast(void* data, int bytes, int root, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(data, bytes, MPI_BYTE, root, comm, &request), "MPI_Ibcast");
    finish(request);
}

bool running()
{
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

namespace {

Comm owned(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return Comm(comm);
}

} // namespace

Comm::~Comm()
{
    if (comm_ != MPI_COMM_NULL && running())
        MPI_Comm_free(&comm_);
}

int Comm::rank() const
{
    int rank = 0;
    check(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
    return rank;
}

int Comm::size() const
{
    int size = 0;
    check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
    return size;
}

Comm Comm::duplicate(MPI_Comm comm)
{
    MPI_Comm result = MPI_COMM_NULL;
#if defined(MPICH_NUMVERSION)
    // MPI_Comm_dup spins.
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Comm_idup(comm, &result, &request), "MPI_Comm_idup");
    finish(request);
#else
    check(MPI_Comm_dup(comm, &result), "MPI_Comm_dup");
#endif
    return owned(result);
}

Comm Comm::split(MPI_Comm comm, int color, int key)
{
    MPI_Comm result = MPI_COMM_NULL;
    check(MPI_Comm_split(comm, color, key, &result), "MPI_Comm_split");
    return owned(result);
}

Comm Comm::split_by_node(MPI_Comm comm, int key)
{
    MPI_Comm result = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &result),
          "MPI_Comm_split_type");
    return owned(result);
}

Comm Comm::create_from_members(MPI_Comm parent, const int* members, int count, int tag)
{
    MPI_Group parent_group = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm result = MPI_COMM_NULL;
    check(MPI_Comm_group(parent, &parent_group), "MPI_Comm_group");
    check(MPI_Group_incl(parent_group, count, members, &group), "MPI_Group_incl");
    check(MPI_Comm_create_group(parent, group, tag, &result), "MPI_Comm_create_group");
    check(MPI_Group_free(&group), "MPI_Group_free");
    check(MPI_Group_free(&parent_group), "MPI_Group_free");
    return owned(result);
}

Datatype::Datatype(MPI_Datatype made) : type_(made)
{
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Datatype::~Datatype()
{
    if (running())
        MPI_Type_free(&type_);
}

Op::Op(MPI_User_function* function, bool commutative)
{
    check(MPI_Op_create(function, commutative ? 1 : 0, &op_), "MPI_Op_create");
}

Op::~Op()
{
    if (op_ != MPI_OP_NULL && running())
        MPI_Op_free(&op_);
}

} // namespace armci::mpi
