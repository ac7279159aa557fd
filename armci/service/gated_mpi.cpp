// Wrappers in front of every function of MPI's C interface, that pass through the gate (gate.hpp) and call
// the next definition of the same name: a tool's that comes behind this library, or MPI's.
//
// MPI_X and PMPI_X both have one. Calls of Fortran arrive at one of the two, and so do those of a tool that
// stands in front. They are weak, so that a tool in the program itself may define MPI_X.
//
// The list of functions is made from mpi.h when the library is configured (cmake/gated_functions.cmake). It
// leaves out what only reads what never changes, and MPI_Abort, which must not wait for a thread that is
// inside.
//
// MPI_Init and MPI_Init_thread ask for MPI_THREAD_SERIALIZED where the program asks for less: the service
// thread calls MPI, too, while no other does.
#include "armci/base/diagnostics.hpp"
#include "armci/service/gate.hpp"

#if defined(__GNUC__)
// Deprecated functions are wrapped like others.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <tuple>

namespace armci::gate {
namespace {

int requested = -1;

template <class Function>
struct Signature;
template <class R, class... A>
struct Signature<R(A...)> {
    using Result = R;
    template <int i>
    using Argument = std::tuple_element_t<i, std::tuple<A...>>;
};

[[gnu::cold, gnu::noinline]] void* find_next(const char* name)
{
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr)
        diag::fatal(name, "MPI's library is not among the shared libraries of this process; build "
                          "armci-rma with -DARMCI_SERVICE=OFF for a static MPI");
    return found;
}

// The next definition of one name. Threads that look for it at once find the same.
template <class Function>
class Next {
public:
    Function* of(const char* name)
    {
        void* found = found_.load(std::memory_order_relaxed);
        if (found == nullptr) [[unlikely]] {
            found = find_next(name);
            found_.store(found, std::memory_order_relaxed);
        }
        return reinterpret_cast<Function*>(found);
    }

private:
    std::atomic<void*> found_{nullptr};
};

using Init = int(int*, char***);
using InitThread = int(int*, char***, int, int*);

bool lie_apart(void* one, void* other)
{
    Dl_info of_one{};
    Dl_info of_other{};
    return dladdr(one, &of_one) != 0 && dladdr(other, &of_other) != 0 &&
           of_one.dli_fbase != of_other.dli_fbase;
}

// Tells whether the next MPI_Init is that of a tool which has no MPI_Init_thread. The tool calls PMPI_Init,
// and comes back to this library by that.
[[maybe_unused]] bool is_of_a_tool(void* init, const char* init_thread)
{
    return lie_apart(init, find_next(init_thread)) && lie_apart(init, find_next("PMPI_Init"));
}

[[maybe_unused]] int init(const char* next, int* argc, char*** argv, int level, int* provided)
{
    requested = level;
    const int error = reinterpret_cast<InitThread*>(find_next(next))(
        argc, argv, std::max(level, int{MPI_THREAD_SERIALIZED}), provided);
    // Some programs end where they get another level than they asked for.
    if (error == MPI_SUCCESS && provided != nullptr && level < MPI_THREAD_SERIALIZED &&
        *provided == MPI_THREAD_SERIALIZED)
        *provided = level;
    return error;
}

} // namespace

int requested_thread_level()
{
    return requested;
}

bool covers_the_program()
{
    Dl_info first{};
    Dl_info here{};
    void* const found = dlsym(RTLD_DEFAULT, "PMPI_Iprobe");
    return found != nullptr && dladdr(found, &first) != 0 &&
           dladdr(reinterpret_cast<void*>(&requested_thread_level), &here) != 0 &&
           first.dli_fbase == here.dli_fbase;
}

} // namespace armci::gate

#define ARMCI_A(n, name) typename armci::gate::Signature<decltype(name)>::Argument<n> a##n
#define ARMCI_PARAMETERS_0(f)
#define ARMCI_PARAMETERS_1(f) ARMCI_A(0, f)
#define ARMCI_PARAMETERS_2(f) ARMCI_PARAMETERS_1(f), ARMCI_A(1, f)
#define ARMCI_PARAMETERS_3(f) ARMCI_PARAMETERS_2(f), ARMCI_A(2, f)
#define ARMCI_PARAMETERS_4(f) ARMCI_PARAMETERS_3(f), ARMCI_A(3, f)
#define ARMCI_PARAMETERS_5(f) ARMCI_PARAMETERS_4(f), ARMCI_A(4, f)
#define ARMCI_PARAMETERS_6(f) ARMCI_PARAMETERS_5(f), ARMCI_A(5, f)
#define ARMCI_PARAMETERS_7(f) ARMCI_PARAMETERS_6(f), ARMCI_A(6, f)
#define ARMCI_PARAMETERS_8(f) ARMCI_PARAMETERS_7(f), ARMCI_A(7, f)
#define ARMCI_PARAMETERS_9(f) ARMCI_PARAMETERS_8(f), ARMCI_A(8, f)
#define ARMCI_PARAMETERS_10(f) ARMCI_PARAMETERS_9(f), ARMCI_A(9, f)
#define ARMCI_PARAMETERS_11(f) ARMCI_PARAMETERS_10(f), ARMCI_A(10, f)
#define ARMCI_PARAMETERS_12(f) ARMCI_PARAMETERS_11(f), ARMCI_A(11, f)
#define ARMCI_PARAMETERS_13(f) ARMCI_PARAMETERS_12(f), ARMCI_A(12, f)
#define ARMCI_ARGUMENTS_0
#define ARMCI_ARGUMENTS_1 a0
#define ARMCI_ARGUMENTS_2 ARMCI_ARGUMENTS_1, a1
#define ARMCI_ARGUMENTS_3 ARMCI_ARGUMENTS_2, a2
#define ARMCI_ARGUMENTS_4 ARMCI_ARGUMENTS_3, a3
#define ARMCI_ARGUMENTS_5 ARMCI_ARGUMENTS_4, a4
#define ARMCI_ARGUMENTS_6 ARMCI_ARGUMENTS_5, a5
#define ARMCI_ARGUMENTS_7 ARMCI_ARGUMENTS_6, a6
#define ARMCI_ARGUMENTS_8 ARMCI_ARGUMENTS_7, a7
#define ARMCI_ARGUMENTS_9 ARMCI_ARGUMENTS_8, a8
#define ARMCI_ARGUMENTS_10 ARMCI_ARGUMENTS_9, a9
#define ARMCI_ARGUMENTS_11 ARMCI_ARGUMENTS_10, a10
#define ARMCI_ARGUMENTS_12 ARMCI_ARGUMENTS_11, a11
#define ARMCI_ARGUMENTS_13 ARMCI_ARGUMENTS_12, a12

#define ARMCI_WRAPPER [[gnu::weak, gnu::visibility("default")]]
#define ARMCI_GATED_ONE(arity, name)                                                                         \
    ARMCI_WRAPPER typename armci::gate::Signature<decltype(name)>::Result name(                              \
        ARMCI_PARAMETERS_##arity(name))                                                                      \
    {                                                                                                        \
        static constinit armci::gate::Next<decltype(name)> next;                                             \
        auto* const function = next.of(#name);                                                               \
        const armci::gate::Hold hold;                                                                        \
        return function(ARMCI_ARGUMENTS_##arity);                                                            \
    }
#define ARMCI_GATED(arity, name) ARMCI_GATED_ONE(arity, name) ARMCI_GATED_ONE(arity, P##name)

extern "C" {
#include <armci_gated_functions.inc> // made by cmake/gated_functions.cmake

#if ARMCI_SERVICE
#define ARMCI_GATED_INIT(prefix)                                                                             \
    ARMCI_WRAPPER int prefix##_Init(int* argc, char*** argv)                                                 \
    {                                                                                                        \
        void* const next = armci::gate::find_next(#prefix "_Init");                                          \
        if (armci::gate::is_of_a_tool(next, #prefix "_Init_thread"))                                         \
            return reinterpret_cast<armci::gate::Init*>(next)(argc, argv);                                   \
        int provided = 0;                                                                                    \
        return armci::gate::init(#prefix "_Init_thread", argc, argv, MPI_THREAD_SINGLE, &provided);          \
    }                                                                                                        \
    ARMCI_WRAPPER int prefix##_Init_thread(int* argc, char*** argv, int required, int* provided)             \
    {                                                                                                        \
        return armci::gate::init(#prefix "_Init_thread", argc, argv, required, provided);                    \
    }
ARMCI_GATED_INIT(MPI)
ARMCI_GATED_INIT(PMPI)
#endif
}
