#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/include/message.h"
#include "armci/message.hpp"

#include <chrono>

using namespace armci;

using message::Members;

namespace {

void exchange_addresses(const char* call, void** pointers, int count, const Members& members)
{
    // NULL is all zero bits, and only one process fills an entry, so the sum of the bits is the union.
    static_assert(sizeof(void*) == sizeof(long));
    message::combine(call, SCOPE_ALL, pointers, count, "+", ARMCI_LONG, members);
}

} // namespace

extern "C" {

void armci_msg_init(int* argc, char*** argv)
{
    start_messages({.call = "armci_msg_init", .argc = argc, .argv = argv});
}

void armci_msg_finalize(void)
{
    stop_messages();
}

int armci_msg_me(void)
{
    return Members::of_world("armci_msg_me").rank();
}

int armci_msg_nproc(void)
{
    return Members::of_world("armci_msg_nproc").size();
}

void armci_msg_abort(int code)
{
    diag::warn("armci_msg_abort: the program ends the job with code %d", code);
    diag::end_job(code);
}

double armci_timer(void)
{
    // Not MPI_Wtime, which some MPI libraries refuse before MPI_Init.
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void armci_msg_snd(int tag, void* buffer, int len, int to)
{
    message::send("armci_msg_snd", tag, buffer, len, to);
}

void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from)
{
    message::receive("armci_msg_rcv", tag, buffer, buflen, msglen, from);
}

int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen)
{
    return message::receive("armci_msg_rcvany", tag, buffer, buflen, msglen, -1);
}

void parmci_msg_barrier(void)
{
    message::barrier(Members::of_world("armci_msg_barrier"));
}

void parmci_msg_group_barrier(ARMCI_Group* group)
{
    message::barrier(Members::of_group("armci_msg_group_barrier", group));
}

void armci_msg_bcast(void* buffer, int len, int root)
{
    message::bcast("armci_msg_bcast", SCOPE_ALL, buffer, len, root, Members::of_world("armci_msg_bcast"));
}

void armci_msg_brdcst(void* buffer, int len, int root)
{
    message::bcast("armci_msg_brdcst", SCOPE_ALL, buffer, len, root, Members::of_world("armci_msg_brdcst"));
}

void armci_msg_bcast_scope(int scope, void* buffer, int len, int root)
{
    message::bcast("armci_msg_bcast_scope", scope, buffer, len, root,
                   Members::of_world("armci_msg_bcast_scope"));
}

void armci_msg_group_bcast_scope(int scope, void* buffer, int len, int root, ARMCI_Group* group)
{
    message::bcast("armci_msg_group_bcast_scope", scope, buffer, len, root,
                   Members::of_group("armci_msg_group_bcast_scope", group));
}

void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right)
{
    const message::Tree tree =
        message::binary_tree("armci_msg_bintree", scope, Members::of_world("armci_msg_bintree"));
    *root = tree.root;
    *up = tree.up;
    *left = tree.left;
    *right = tree.right;
}

void armci_msg_group_bintree(int scope, int* root, int* up, int* left, int* right, ARMCI_Group* group)
{
    const message::Tree tree = message::binary_tree("armci_msg_group_bintree", scope,
                                                    Members::of_group("armci_msg_group_bintree", group));
    *root = tree.root;
    *up = tree.up;
    *left = tree.left;
    *right = tree.right;
}

void armci_msg_reduce(void* x, int n, char* op, int type)
{
    message::reduce("armci_msg_reduce", SCOPE_ALL, x, n, op, type, Members::of_world("armci_msg_reduce"));
}

void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type)
{
    message::reduce("armci_msg_reduce_scope", scope, x, n, op, type,
                    Members::of_world("armci_msg_reduce_scope"));
}

void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type)
{
    message::combine("armci_msg_gop_scope", scope, x, n, op, type, Members::of_world("armci_msg_gop_scope"));
}

void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group)
{
    message::combine("armci_msg_group_gop_scope", scope, x, n, op, type,
                     Members::of_group("armci_msg_group_gop_scope", group));
}

void armci_msg_igop(int* x, int n, char* op)
{
    message::combine("armci_msg_igop", SCOPE_ALL, x, n, op, ARMCI_INT, Members::of_world("armci_msg_igop"));
}

void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group)
{
    message::combine("armci_msg_group_igop", SCOPE_ALL, x, n, op, ARMCI_INT,
                     Members::of_group("armci_msg_group_igop", group));
}

void armci_msg_clus_igop(int* x, int n, char* op)
{
    message::combine("armci_msg_clus_igop", SCOPE_NODE, x, n, op, ARMCI_INT,
                     Members::of_world("armci_msg_clus_igop"));
}

void armci_msg_lgop(long* x, int n, char* op)
{
    message::combine("armci_msg_lgop", SCOPE_ALL, x, n, op, ARMCI_LONG, Members::of_world("armci_msg_lgop"));
}

void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group)
{
    message::combine("armci_msg_group_lgop", SCOPE_ALL, x, n, op, ARMCI_LONG,
                     Members::of_group("armci_msg_group_lgop", group));
}

void armci_msg_clus_lgop(long* x, int n, char* op)
{
    message::combine("armci_msg_clus_lgop", SCOPE_NODE, x, n, op, ARMCI_LONG,
                     Members::of_world("armci_msg_clus_lgop"));
}

void armci_msg_llgop(long long* x, int n, char* op)
{
    message::combine("armci_msg_llgop", SCOPE_ALL, x, n, op, ARMCI_LONG_LONG,
                     Members::of_world("armci_msg_llgop"));
}

void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group)
{
    message::combine("armci_msg_group_llgop", SCOPE_ALL, x, n, op, ARMCI_LONG_LONG,
                     Members::of_group("armci_msg_group_llgop", group));
}

void armci_msg_clus_llgop(long long* x, int n, char* op)
{
    message::combine("armci_msg_clus_llgop", SCOPE_NODE, x, n, op, ARMCI_LONG_LONG,
                     Members::of_world("armci_msg_clus_llgop"));
}

void armci_msg_fgop(float* x, int n, char* op)
{
    message::combine("armci_msg_fgop", SCOPE_ALL, x, n, op, ARMCI_FLOAT, Members::of_world("armci_msg_fgop"));
}

void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group)
{
    message::combine("armci_msg_group_fgop", SCOPE_ALL, x, n, op, ARMCI_FLOAT,
                     Members::of_group("armci_msg_group_fgop", group));
}

void armci_msg_clus_fgop(float* x, int n, char* op)
{
    message::combine("armci_msg_clus_fgop", SCOPE_NODE, x, n, op, ARMCI_FLOAT,
                     Members::of_world("armci_msg_clus_fgop"));
}

void armci_msg_dgop(double* x, int n, char* op)
{
    message::combine("armci_msg_dgop", SCOPE_ALL, x, n, op, ARMCI_DOUBLE,
                     Members::of_world("armci_msg_dgop"));
}

void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group)
{
    message::combine("armci_msg_group_dgop", SCOPE_ALL, x, n, op, ARMCI_DOUBLE,
                     Members::of_group("armci_msg_group_dgop", group));
}

void armci_msg_clus_dgop(double* x, int n, char* op)
{
    message::combine("armci_msg_clus_dgop", SCOPE_NODE, x, n, op, ARMCI_DOUBLE,
                     Members::of_world("armci_msg_clus_dgop"));
}

void armci_msg_clus_brdcst(void* buffer, int len)
{
    message::bcast_on_node("armci_msg_clus_brdcst", buffer, len);
}

void armci_grp_clus_brdcst(void* buffer, int len, int master, int nproc, ARMCI_Group* group)
{
    message::bcast_to_node("armci_grp_clus_brdcst", buffer, len, master, nproc,
                           Members::of_group("armci_grp_clus_brdcst", group));
}

void armci_msg_sel(void* x, int bytes, char* op, int type, int contribute)
{
    message::select("armci_msg_sel", SCOPE_ALL, x, bytes, op, type, contribute != 0,
                    Members::of_world("armci_msg_sel"));
}

void armci_msg_sel_scope(int scope, void* x, int bytes, char* op, int type, int contribute)
{
    message::select("armci_msg_sel_scope", scope, x, bytes, op, type, contribute != 0,
                    Members::of_world("armci_msg_sel_scope"));
}

void armci_exchange_address(void* ptrs[], int n)
{
    exchange_addresses("armci_exchange_address", ptrs, n, Members::of_world("armci_exchange_address"));
}

void armci_exchange_address_grp(void* ptrs[], int n, ARMCI_Group* group)
{
    exchange_addresses("armci_exchange_address_grp", ptrs, n,
                       Members::of_group("armci_exchange_address_grp", group));
}

} // extern "C"

ARMCI_WEAK_ALIAS(armci_msg_barrier, parmci_msg_barrier);
ARMCI_WEAK_ALIAS(armci_msg_group_barrier, parmci_msg_group_barrier);
