/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARMCIX_H_
#define ARMCIX_H_

/* Extensions to ARMCI. Conventions of armci.h; each ARMCIX_X is a weak alias of PARMCIX_X. */

#include <mpi.h>
#include <stdint.h>

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* --- Groups ------------------------------------------------------------------------------------------------
 * Collective over `parent`. Split puts processes of equal `color` into one group, ordered by `key`, then by
 * rank; a negative color joins none. Dup makes a second group of the same members. Freed by ARMCI_Group_free.
 */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *group_out);
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *group_out);

/* --- Mutex sets --------------------------------------------------------------------------------------------
 * Any number of sets, each on a group, so that libraries need not share the one set of ARMCI_Create_mutexes.
 * Create and Destroy are collective over the group; `count` mutexes are hosted by the calling process. Create
 * returns NULL on failure. `proc` is an absolute id, as everywhere, of a member of the group. Lock and Unlock
 * as ARMCI_Lock and ARMCI_Unlock; Trylock never waits and returns 0 when the caller now owns the mutex,
 * non-zero when another does. The fields are the library's own.
 */
struct armcix_mutex_hdl_s {
    int my_count;
    int max_count;
    ARMCI_Group grp;
    MPI_Win *windows;
    uint8_t **bases;
};

typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/* --- Access modes ------------------------------------------------------------------------------------------
 * What the program promises about a region until the next Mode_set. A promise only ever makes things faster;
 * one that is broken gives undefined data inside that region. Promises combine by |, except READ_ONLY with
 * ACC_ONLY.
 */
enum ARMCIX_Mode_e {
    ARMCIX_MODE_ALL = 0x0,           /* no promise; what every region starts with */
    ARMCIX_MODE_CONFLICT_FREE = 0x1, /* no operation meets another on the same byte, unless both read or both
                                        accumulate; direct loads and stores count as operations */
    ARMCIX_MODE_NO_LOAD_STORE = 0x2, /* no process loads from or stores to the region directly */
    ARMCIX_MODE_READ_ONLY = 0x4,     /* nothing but gets and direct loads */
    ARMCIX_MODE_ACC_ONLY = 0x8       /* nothing but accumulates, of one type */
};

/* Collective over `group`, the one that allocated the region (NULL: the world); every member gives the same
 * mode and the base of its own slice, NULL when that is empty. Completes all members' operations on the
 * region before the new mode takes effect, and synchronises them. Returns non-zero for an unknown mode, a
 * contradictory one, or an address that is in no region; the mode then stays as it was. */
int ARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
/* Local: the mode of the region that holds `ptr`, an address in the caller's own slice; -1 when there is
 * none. */
int ARMCIX_Mode_get(void *ptr);

/* --- Progress ----------------------------------------------------------------------------------------------
 * Local: lets operations that others have begun on this process advance. Never required for correctness.
 */
void ARMCIX_Progress(void);

/* --- Profiling twins ---------------------------------------------------------------------------------------
 * Same arguments and results; the implementation itself.
 */
int PARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *group_out);
int PARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *group_out);
armcix_mutex_hdl_t PARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
int PARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void PARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int PARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void PARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int PARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
int PARMCIX_Mode_get(void *ptr);
void PARMCIX_Progress(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* ARMCIX_H_ */
