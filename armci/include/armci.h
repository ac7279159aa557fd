/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARMCI_H_
#define ARMCI_H_

/* ARMCI: one-sided communication on global memory.
 *
 * Words used below
 *   - process: an absolute id, the rank in the communicator ARMCI was started on, whatever group is in use;
 *   - address: a (process, pointer) pair; the pointer means a byte in that process's address space;
 *   - origin: the process that calls; target: the process named by the argument `proc`;
 *   - collective: every member of the named group (the world when none is named) makes the call, and all
 *     collective calls on a group come in the same order in each member.
 *
 * Unless a chapter says otherwise
 *   - sizes, strides and extents are in bytes;
 *   - only the origin calls; nothing is required of the target;
 *   - an int result is 0 on success and non-zero on failure. By default a wrong argument ends the job
 *     with one message that names the call, the argument and its value; with ARMCI_ERRORS=return, calls that
 *     have an int result return non-zero instead and leave memory and output arguments as they were;
 *   - zero bytes, zero segments and empty slices are legal and do nothing;
 *   - the arrays that describe a transfer (strides, counts, segment lists) may be reused when the
 *     call returns, nonblocking calls included.
 *
 * Each function ARMCI_X is a weak alias of PARMCI_X, so a profiler may define ARMCI_X and call PARMCI_X.
 */

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__ /* the library itself is built with hidden visibility */
#pragma GCC visibility push(default)
#endif

/* Tells sources that ARMCI sits on MPI one-sided communication, and on which version of the standard. */
#define ARMCI_MPI 3

/* Allocation sizes, and the MPI type that carries them. */
typedef long armci_size_t;
#define ARMCII_MPI_SIZE_T MPI_LONG

/* --- Life cycle --------------------------------------------------------------------------------------------
 * Collective over the communicator (MPI_COMM_WORLD unless one is given); blocking. May come before or after
 * MPI_Init: the first call starts MPI if the program has not. Repeated calls are counted, and the Finalize
 * that matches the first one shuts down, ending MPI only when ARMCI started it. One Finalize more does
 * nothing.
 */
int ARMCI_Init(void);
int ARMCI_Init_args(int *argc, char ***argv);
/* `requested` is the MPI thread level; with MPI_THREAD_MULTIPLE any thread may communicate at any time,
 * collective calls one at a time per group. Below it, one thread at a time. */
int ARMCI_Init_thread(int requested);
int ARMCI_Init_thread_comm(int requested, MPI_Comm comm);
/* Returns 1 on success and 0 on failure, unlike the others, as GA_Initialize_comm and ComEx have it;
 * ARMCI-MPI returns 0. */
int ARMCI_Init_mpi_comm(MPI_Comm comm);
/* Local: non-zero between Init and Finalize. */
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);
/* Local, for abnormal exits: releases what would outlive the process. */
void ARMCI_Cleanup(void);
/* Local: prints rank, message and code, then aborts the job; does not return. */
void ARMCI_Error(const char *message, int code);

/* --- Groups ------------------------------------------------------------------------------------------------
 * The object belongs to the caller and is freed by ARMCI_Group_free on every member. The world and default
 * groups obtained by the get functions are not freed. Copies by value name the same group.
 */
typedef struct {
    MPI_Comm comm;                /* the members; MPI_COMM_NULL for a process outside */
    MPI_Comm noncoll_pgroup_comm; /* the library's own */
    int *grp_to_abs;              /* the library's own */
    int *abs_to_grp;              /* the library's own */
    int rank;                     /* caller's rank, -1 for a process outside */
    int size;                     /* number of members, 0 for a process outside */
} ARMCI_Group;

/* Called by every process in the list, in the same order; other processes of the parent group may call too,
 * and get an object of rank -1 and size 0. `members` holds `count` ranks within the parent group, the default
 * group for Group_create; members are numbered in list order. */
void ARMCI_Group_create(int count, int *members, ARMCI_Group *group_out);
void ARMCI_Group_create_child(int count, int *members, ARMCI_Group *group_out, ARMCI_Group *parent);
/* Collective over the members. */
void ARMCI_Group_free(ARMCI_Group *group);
/* Local. Group_rank stores -1 and returns non-zero when the caller is no member. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
/* Local. The default group is the parent of ARMCI_Group_create; it changes neither process numbers nor who
 * takes part in any other call. */
void ARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_default(ARMCI_Group *group_out);
void ARMCI_Group_get_world(ARMCI_Group *group_out);
/* Local: absolute id of a group rank, -1 when there is none (the caller must be a member of the group). */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);

/* --- Global memory -----------------------------------------------------------------------------------------
 * Malloc and Malloc_group are collective over the world and over `group`; `bytes` may differ per
 * member. `base_ptrs` has one entry per member: on success entry r is the address of member r's slice in that
 * member, NULL when its slice is empty. Slices of processes of the caller's node may be dereferenced directly
 * (ARMCI_Same_node, ARMCI_Uses_shm). Addresses are aligned for every accumulate type. When any member cannot
 * have its slice, every member fails alike.
 *
 * Free and Free_group are collective over the group that allocated; each member passes the base of its own
 * slice, NULL when that is empty. Every member must be done with the region.
 */
int ARMCI_Malloc(void **base_ptrs, armci_size_t bytes);
int ARMCI_Free(void *ptr);
int ARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group);
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);

/* Local: memory for origin buffers, page-aligned; NULL when there is none or `bytes` is 0. Never a target. */
void *ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void *ptr);

/* As Malloc, Malloc_group and Free. `device` names the kind of memory wished for; ordinary memory is the only
 * kind there is, and every name gets it. */
int ARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device);
int ARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group, const char *device);
int ARMCI_Free_memdev(void *ptr);

/* Memory that one process makes and others of its node attach. Local calls, in this order:
 *   - Memget, by the creator, makes `bytes` of memory and describes it in `meminfo`, which may be sent to
 *     another process;
 *   - Memat, by any process of the node, returns the caller's address of byte `offset`, NULL on failure;
 *   - Memdt, by the process that attached, gives that address up, with the same `offset`;
 *   - Memctl, by the creator, frees the memory when every process is done with it.
 * `memflg` is accepted for the sake of existing callers and changes nothing. */
typedef struct {
    char *armci_addr; /* address in the creating process */
    char *addr;       /* address in the process that attached last */
    size_t size;      /* bytes */
    int cpid;         /* creating process */
    long idlist[64];  /* the library's own description of the memory */
} armci_meminfo_t;

int ARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
void *ARMCI_Memat(armci_meminfo_t *meminfo, long offset);
void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
void ARMCI_Memctl(armci_meminfo_t *meminfo);

/* Local. Uses_shm, Uses_shm_grp: non-zero when slices of the processes of the caller's node may be
 * dereferenced, and world allocations lie at the same offsets on all nodes, as mirrored arrays need: always,
 * but on several nodes with ARMCI_WINDOW other than pooled. Set_shm_limit caps global memory: `bytes` times
 * the processes of the node, which they share; call it before Init. */
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
void ARMCI_Set_shm_limit(unsigned long bytes);

/* --- Contiguous transfer -----------------------------------------------------------------------------------
 * Put and Acc return when `src` may be reused, Get when `dst` is filled; the target sees puts and accumulates
 * after a fence (see Ordering). The remote side must lie inside one slice of `proc`; the origin side may be
 * any memory, read-only or global included.
 *
 * Acc adds scale * src to dst, element by element, each element atomic against other accumulates of the same
 * type; `bytes` is a multiple of the element size, `scale` points to one element. An address or stride that
 * is no multiple of the element (of complex ones: of a component) is legal, but slow in jobs of several
 * nodes. Accumulates to the same misaligned element are atomic; to elements that overlap in part they are
 * not.
 */
enum ARMCI_Acc_e {
    ARMCI_ACC_INT, /* int */
    ARMCI_ACC_LNG, /* long */
    ARMCI_ACC_FLT, /* float */
    ARMCI_ACC_DBL, /* double */
    ARMCI_ACC_CPL, /* two floats: real, imaginary */
    ARMCI_ACC_DCP  /* two doubles: real, imaginary */
};

int ARMCI_Put(void *src, void *dst, int bytes, int proc);
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);

/* Put, then store `value` at `flag`, an int in global memory of `proc`: a process that sees the
 * value sees the data. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);

/* Local copy between any two ranges, which may overlap. */
void ARMCI_Copy(void *src, void *dst, int bytes);

/* One element by value; `dst` and `src` are aligned to the type. GetValue returns the value read. */
int ARMCI_PutValueInt(int src, void *dst, int proc);
int ARMCI_PutValueLong(long src, void *dst, int proc);
int ARMCI_PutValueFloat(float src, void *dst, int proc);
int ARMCI_PutValueDouble(double src, void *dst, int proc);
int ARMCI_GetValueInt(void *src, int proc);
long ARMCI_GetValueLong(void *src, int proc);
float ARMCI_GetValueFloat(void *src, int proc);
double ARMCI_GetValueDouble(void *src, int proc);

/* --- Strided transfer --------------------------------------------------------------------------------------
 * A patch of an array: count[0] is the bytes of one contiguous segment, count[i] the number of repeats at
 * level i, 1 <= i <= levels; level i is repeated every src_stride[i-1] and dst_stride[i-1] bytes. count has
 * levels + 1 entries, the strides `levels`; 0 <= levels <= 7. Completion, atomicity and addresses as for
 * contiguous transfer; the whole remote patch lies inside one slice of `proc`.
 */
int ARMCI_PutS(void *src, int src_stride[/*levels*/], void *dst, int dst_stride[/*levels*/],
               int count[/*levels+1*/], int levels, int proc);
int ARMCI_GetS(void *src, int src_stride[/*levels*/], void *dst, int dst_stride[/*levels*/],
               int count[/*levels+1*/], int levels, int proc);
int ARMCI_AccS(int datatype, void *scale, void *src, int src_stride[/*levels*/], void *dst,
               int dst_stride[/*levels*/], int count[/*levels+1*/], int levels, int proc);

/* PutS followed by a flag, as Put_flag. The second name is an older spelling of the first. */
int ARMCI_PutS_flag(void *src, int src_stride[/*levels*/], void *dst, int dst_stride[/*levels*/],
                    int count[/*levels+1*/], int levels, int *flag, int value, int proc);
int ARMCI_PutS_flag_dir(void *src, int src_stride[/*levels*/], void *dst, int dst_stride[/*levels*/],
                        int count[/*levels+1*/], int levels, int *flag, int value, int proc);

/* Local packing, named after what happens to `buf`: write gathers the patch at `ptr` into `buf`, read spreads
 * the packed bytes of `buf` over the patch; first level fastest. */
void armci_write_strided(void *ptr, int levels, int stride[/*levels*/], int count[/*levels+1*/], char *buf);
void armci_read_strided(void *ptr, int levels, int stride[/*levels*/], int count[/*levels+1*/], char *buf);

/* --- Vector transfer ---------------------------------------------------------------------------------------
 * `iov_len` descriptors, each of segments of equal length. Segments of one put or accumulate may overlap,
 * with the result of some serial order, and may lie in different regions of `proc`. Completion as for
 * contiguous transfer.
 */
typedef struct {
    void **src_ptr_array; /* source address of each segment */
    void **dst_ptr_array; /* destination address of each segment */
    int bytes;            /* length of every segment */
    int ptr_array_len;    /* number of segments */
} armci_giov_t;

int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);

/* --- Nonblocking transfer ----------------------------------------------------------------------------------
 * As the blocking forms, except that `src` (put, accumulate) or `dst` (get) belongs to the library until the
 * operation completes locally: by Wait or Test on its handle, WaitProc on its target, WaitAll; and by Barrier
 * if it has no handle, or is a put or accumulate.
 *
 * The caller owns the handle and prepares it with ARMCI_INIT_HANDLE; it is free for a new operation after
 * Wait, or after a Test that found it complete. An aggregate handle takes any number of operations on one
 * target and completes them together. ARMCI_SET_AGGREGATE_HANDLE and ARMCI_UNSET_AGGREGATE_HANDLE may be
 * called while operations of the handle are outstanding; they complete none. Wait and Test complete all of
 * them. A NULL handle is implicit: WaitProc, WaitAll and Barrier complete it. A nonblocking value put has no
 * buffer to keep.
 */
typedef struct armci_hdl_s {
    int target;    /* the library's own */
    int aggregate; /* the library's own */
} armci_hdl_t;

void ARMCI_INIT_HANDLE(armci_hdl_t *handle);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle);

int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbPutS(void *src, int src_stride[/*levels*/], void *dst, int dst_stride[/*levels*/],
                 int count[/*levels+1*/], int levels, int proc, armci_hdl_t *handle);
int ARMCI_NbGetS(void *src, int src_stride[/*levels*/], void *dst, int dst_stride[/*levels*/],
                 int count[/*levels+1*/], int levels, int proc, armci_hdl_t *handle);
int ARMCI_NbAccS(int datatype, void *scale, void *src, int src_stride[/*levels*/], void *dst,
                 int dst_stride[/*levels*/], int count[/*levels+1*/], int levels, int proc,
                 armci_hdl_t *handle);
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *handle);

int ARMCI_Wait(armci_hdl_t *handle);
/* Returns 0 when the operation is complete, non-zero while it is under way. */
int ARMCI_Test(armci_hdl_t *handle);
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* --- Ordering ----------------------------------------------------------------------------------------------
 * A process sees its own operations on one target in the order in which they completed locally; others may
 * see another order until a fence. Fence returns when all operations of the caller on `proc` are complete at
 * the target, AllFence on every process, GroupFence on the members of a group; none of them is collective.
 * Barrier is collective over the world: it completes the operations of all, implicit nonblocking ones
 * included, and afterwards every process sees all of them, direct stores included.
 */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_GroupFence(ARMCI_Group *group);
void ARMCI_Barrier(void);

/* Pairwise notification. notify(p) tells p that all earlier puts of the caller to p are complete, and returns
 * the number of notifications sent to p so far; notify_wait(p) waits for the next one from p, stores in *pval
 * the number of it, and returns 0. Notifications from one process arrive in order and none is lost. */
int armci_notify(int proc);
int armci_notify_wait(int proc, int *pval);

/* --- Direct access -----------------------------------------------------------------------------------------
 * Brackets around loads and stores of the caller to its own slice that holds `ptr`, for accesses that others'
 * operations may meet. Local; calls match one to one. Between barriers a process may use its own slice
 * without them.
 */
void ARMCI_Access_begin(void *ptr);
void ARMCI_Access_end(void *ptr);

/* --- Read-modify-write -------------------------------------------------------------------------------------
 * Atomic against every other Rmw on the location. `local` and `remote` point to int, or to long for the _LONG
 * operations; `remote` is aligned. FETCH_AND_ADD stores the old value in *local and adds `value`; SWAP
 * exchanges *local and *remote and ignores `value`. Returns when *local holds the old value.
 */
enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

int ARMCI_Rmw(int op, void *local, void *remote, int value, int proc);

/* --- Mutexes -----------------------------------------------------------------------------------------------
 * One set at a time. Create and Destroy are collective over the world; `count` mutexes are hosted by the
 * calling process and may differ per process, 0 included. Lock blocks until the caller owns mutex number
 * `mutex` of `proc`; it is not recursive. Callers of one node are served in order of arrival. Where a node
 * has more processes than cores, the last owner may lock it again up to 255 times before the next. A node may
 * serve 16 more of its own before another node. Unlock first completes the caller's operations, so that the
 * next owner sees them.
 */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* --- Topology ----------------------------------------------------------------------------------------------
 * Local. A domain is a node: processes that can share memory. Domains and the processes inside one are
 * numbered from 0. In nprocs and glob_proc_id a negative `id` means the caller's own domain. same_id and
 * Same_node are non-zero when `proc` is in the caller's domain.
 */
enum armci_domain_e { ARMCI_DOMAIN_SMP };

typedef int armci_domain_t;

int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int proc);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);

/* --- Profiling twins ---------------------------------------------------------------------------------------
 * Same arguments and results; the implementation itself.
 */
int PARMCI_Init(void);
int PARMCI_Init_args(int *argc, char ***argv);
int PARMCI_Init_thread(int requested);
int PARMCI_Init_thread_comm(int requested, MPI_Comm comm);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
void PARMCI_Cleanup(void);
void PARMCI_Error(const char *message, int code);
void PARMCI_Group_create(int count, int *members, ARMCI_Group *group_out);
void PARMCI_Group_create_child(int count, int *members, ARMCI_Group *group_out, ARMCI_Group *parent);
void PARMCI_Group_free(ARMCI_Group *group);
int PARMCI_Group_rank(ARMCI_Group *group, int *rank);
void PARMCI_Group_size(ARMCI_Group *group, int *size);
void PARMCI_Group_set_default(ARMCI_Group *group);
void PARMCI_Group_get_default(ARMCI_Group *group_out);
void PARMCI_Group_get_world(ARMCI_Group *group_out);
int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
int PARMCI_Malloc(void **base_ptrs, armci_size_t bytes);
int PARMCI_Free(void *ptr);
int PARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group);
int PARMCI_Free_group(void *ptr, ARMCI_Group *group);
void *PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void *ptr);
int PARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device);
int PARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group, const char *device);
int PARMCI_Free_memdev(void *ptr);
int PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset);
void PARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
void PARMCI_Memctl(armci_meminfo_t *meminfo);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group *group);
void PARMCI_Set_shm_limit(unsigned long bytes);
int PARMCI_Put(void *src, void *dst, int bytes, int proc);
int PARMCI_Get(void *src, void *dst, int bytes, int proc);
int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);
int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
void PARMCI_Copy(void *src, void *dst, int bytes);
int PARMCI_PutValueInt(int src, void *dst, int proc);
int PARMCI_PutValueLong(long src, void *dst, int proc);
int PARMCI_PutValueFloat(float src, void *dst, int proc);
int PARMCI_PutValueDouble(double src, void *dst, int proc);
int PARMCI_GetValueInt(void *src, int proc);
long PARMCI_GetValueLong(void *src, int proc);
float PARMCI_GetValueFloat(void *src, int proc);
double PARMCI_GetValueDouble(void *src, int proc);
int PARMCI_PutS(void *src, int src_stride[], void *dst, int dst_stride[], int count[], int levels, int proc);
int PARMCI_GetS(void *src, int src_stride[], void *dst, int dst_stride[], int count[], int levels, int proc);
int PARMCI_AccS(int datatype, void *scale, void *src, int src_stride[], void *dst, int dst_stride[],
                int count[], int levels, int proc);
int PARMCI_PutS_flag(void *src, int src_stride[], void *dst, int dst_stride[], int count[], int levels,
                     int *flag, int value, int proc);
int PARMCI_PutS_flag_dir(void *src, int src_stride[], void *dst, int dst_stride[], int count[], int levels,
                         int *flag, int value, int proc);
int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
void PARMCI_INIT_HANDLE(armci_hdl_t *handle);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle);
int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int PARMCI_NbPutS(void *src, int src_stride[], void *dst, int dst_stride[], int count[], int levels, int proc,
                  armci_hdl_t *handle);
int PARMCI_NbGetS(void *src, int src_stride[], void *dst, int dst_stride[], int count[], int levels, int proc,
                  armci_hdl_t *handle);
int PARMCI_NbAccS(int datatype, void *scale, void *src, int src_stride[], void *dst, int dst_stride[],
                  int count[], int levels, int proc, armci_hdl_t *handle);
int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_Wait(armci_hdl_t *handle);
int PARMCI_Test(armci_hdl_t *handle);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_GroupFence(ARMCI_Group *group);
void PARMCI_Barrier(void);
void PARMCI_Access_begin(void *ptr);
void PARMCI_Access_end(void *ptr);
int PARMCI_Rmw(int op, void *local, void *remote, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
int PARMCI_Same_node(int proc);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include "message.h"

#endif /* ARMCI_H_ */
