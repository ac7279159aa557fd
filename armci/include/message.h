/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARMCI_MESSAGE_H_
#define ARMCI_MESSAGE_H_

/* Messages: two-sided and collective helpers on the processes ARMCI runs on.
 *
 *   - Process numbers and roots are absolute ids, in the group_ forms too. The default group plays no part.
 *   - All calls block; buffers may be reused on return. Errors end the job.
 *   - Collectives are called by every process of the scope. SCOPE_ALL is everybody, SCOPE_NODE the processes
 *     of the caller's node, SCOPE_MASTERS the lowest process of each node; others return at once. In the
 *     group_ forms the scope is taken within the group: its nodes, and its lowest member of each node.
 *   - Byte counts (`len`, `buflen`, `bytes`) are in bytes, element counts (`n`) in elements.
 */

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

/* --- Who and when ------------------------------------------------------------------------------------------
 * Messages work from msg_init or MPI_Init on, whether ARMCI is up or not, until MPI ends; forms that take a
 * group, NULL (the world) excepted, want ARMCI up. msg_init is collective: it starts MPI when nobody has, and
 * finds out who shares a node with whom, which SCOPE_NODE, SCOPE_MASTERS and the clus_ forms want to know
 * before ARMCI_Init. msg_finalize ends MPI when msg_init or ARMCI_Init started it; what msg_init started,
 * ARMCI_Finalize leaves running. Before ARMCI_Init the world is MPI_COMM_WORLD, later that of the last
 * ARMCI_Init. A message may be received in another phase than it was sent in; without msg_init not one from
 * before ARMCI_Init, whose tags are then among those of MPI_COMM_WORLD. armci_timer is wall time in seconds
 * since some fixed moment, always. msg_abort does not return.
 */
void armci_msg_init(int *argc, char ***argv);
void armci_msg_finalize(void);
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
double armci_timer(void);

/* --- Send and receive --------------------------------------------------------------------------------------
 * A message longer than `buflen` is an error. `msglen` receives the bytes that came and may be NULL; rcvany
 * takes from whoever sends first and returns the sender.
 */
void armci_msg_snd(int tag, void *buffer, int len, int to);
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/* --- Barriers and broadcasts -------------------------------------------------------------------------------
 * The barriers have profiling twins parmci_. They synchronise processes only: ARMCI_Barrier also completes
 * communication. `root` is an absolute id inside the scope; bcast and brdcst are one function.
 */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group *group);

void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void *buffer, int len, int root, ARMCI_Group *group);

/* Local: the caller's place in a binary tree over the scope, as absolute ids; -1 where there is none. */
void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right);
void armci_msg_group_bintree(int scope, int *root, int *up, int *left, int *right, ARMCI_Group *group);

/* --- Reductions --------------------------------------------------------------------------------------------
 * `op` is one of "+", "*", "min", "max", "absmin", "absmax" and, for integer types only, "&&" or "land",
 * "||" or "lor", "&" or "band", "|" or "bor" or "or"; an error with others. It is known by its first
 * characters: no terminator is needed, and what follows is not read. "absmin" and "absmax" give absolute
 * values, logical operators 0 or 1, also of one process. `type` is an armci_type_e. gop leaves the result
 * in `x` everywhere, reduce at the lowest process of the scope only, the others keeping what they had.
 */
void armci_msg_reduce(void *x, int n, char *op, int type);
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_igop(int *x, int n, char *op);
void armci_msg_lgop(long *x, int n, char *op);
void armci_msg_llgop(long long *x, int n, char *op);
void armci_msg_fgop(float *x, int n, char *op);
void armci_msg_dgop(double *x, int n, char *op);

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);

/* Selects one whole record: `x` is `bytes` bytes that begin with an element of `type`; op "min" or "max"
 * compares that element, the lowest process wins a tie, and every process receives the winner's record. Only
 * processes with `contribute` non-zero compete; with none, `x` is left alone. */
void armci_msg_sel(void *x, int bytes, char *op, int type, int contribute);
void armci_msg_sel_scope(int scope, void *x, int bytes, char *op, int type, int contribute);

/* --- On the caller's node ----------------------------------------------------------------------------------
 * SCOPE_NODE under older names; brdcst sends from the lowest process of the node.
 */
void armci_msg_clus_brdcst(void *buffer, int len);
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);

/* Called by the `nproc` members of `group` on the caller's node: broadcast from the one whose group rank is
 * `master`. */
void armci_grp_clus_brdcst(void *buffer, int len, int master, int nproc, ARMCI_Group *group);

/* --- Addresses ---------------------------------------------------------------------------------------------
 * Collective over the world or the group. Each process fills its own entries of the `n` pointers and sets the
 * rest to NULL; afterwards everybody holds every entry.
 */
void armci_exchange_address(void *ptrs[/*n*/], int n);
void armci_exchange_address_grp(void *ptrs[/*n*/], int n, ARMCI_Group *group);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* ARMCI_MESSAGE_H_ */
