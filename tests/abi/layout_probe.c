/* Prints what a compiler makes of the public headers: constants, sizes, offsets. It is compiled against two
 * sets of headers, and the two outputs must be equal. Only what both sets have is named. */

#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <mp3.h>

#if defined(ARMCI_H_) != defined(PROBE_OURS)
#error "the include path leads to the wrong armci.h"
#endif

#include <stddef.h>
#include <stdio.h>

#define CONSTANT(name) printf("%s = %d\n", #name, (int)(name))
#define SIZE(type) printf("sizeof(%s) = %zu\n", #type, sizeof(type))
#define FIELD(type, field)                                                                                   \
    printf("%s.%s at %zu, %zu bytes\n", #type, #field, offsetof(type, field), sizeof(((type*)0)->field))
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
#define MACRO(use) printf("%s is %s\n", #use, TEXT(use))

int main(void)
{
    CONSTANT(ARMCI_MPI);

    CONSTANT(ARMCI_ACC_INT);
    CONSTANT(ARMCI_ACC_LNG);
    CONSTANT(ARMCI_ACC_FLT);
    CONSTANT(ARMCI_ACC_DBL);
    CONSTANT(ARMCI_ACC_CPL);
    CONSTANT(ARMCI_ACC_DCP);
    CONSTANT(ARMCI_FETCH_AND_ADD);
    CONSTANT(ARMCI_FETCH_AND_ADD_LONG);
    CONSTANT(ARMCI_SWAP);
    CONSTANT(ARMCI_SWAP_LONG);
    CONSTANT(ARMCI_DOMAIN_SMP);
    CONSTANT(SCOPE_ALL);
    CONSTANT(SCOPE_NODE);
    CONSTANT(SCOPE_MASTERS);
    CONSTANT(ARMCI_INT);
    CONSTANT(ARMCI_LONG);
    CONSTANT(ARMCI_LONG_LONG);
    CONSTANT(ARMCI_FLOAT);
    CONSTANT(ARMCI_DOUBLE);

    SIZE(enum ARMCI_Acc_e);
    SIZE(enum ARMCI_Rmw_e);
    SIZE(enum armci_domain_e);
    SIZE(enum armci_scope_e);
    SIZE(enum armci_type_e);
    SIZE(armci_size_t);
    SIZE(armci_domain_t);
    printf("armci_size_t is %ssigned\n", (armci_size_t)-1 < 0 ? "" : "un");
    printf("ARMCII_MPI_SIZE_T is %sMPI_LONG\n", ARMCII_MPI_SIZE_T == MPI_LONG ? "" : "not ");

    SIZE(armci_hdl_t);
    SIZE(struct armci_hdl_s);
    FIELD(armci_hdl_t, target);
    FIELD(armci_hdl_t, aggregate);

    SIZE(armci_giov_t);
    FIELD(armci_giov_t, src_ptr_array);
    FIELD(armci_giov_t, dst_ptr_array);
    FIELD(armci_giov_t, bytes);
    FIELD(armci_giov_t, ptr_array_len);

    SIZE(ARMCI_Group);
    FIELD(ARMCI_Group, comm);
    FIELD(ARMCI_Group, noncoll_pgroup_comm);
    FIELD(ARMCI_Group, grp_to_abs);
    FIELD(ARMCI_Group, abs_to_grp);
    FIELD(ARMCI_Group, rank);
    FIELD(ARMCI_Group, size);

    SIZE(armcix_mutex_hdl_t);
    SIZE(struct armcix_mutex_hdl_s);
    FIELD(struct armcix_mutex_hdl_s, my_count);
    FIELD(struct armcix_mutex_hdl_s, max_count);
    FIELD(struct armcix_mutex_hdl_s, grp);
    FIELD(struct armcix_mutex_hdl_s, windows);
    FIELD(struct armcix_mutex_hdl_s, bases);

    MACRO(MP_INIT(argc, argv));
    MACRO(MP_BARRIER());
    MACRO(MP_FINALIZE());
    MACRO(MP_PROCS(x));
    MACRO(MP_MYID(x));
    MACRO(MP_TIMER());
    MACRO(GA_INIT(argc, argv));
    MACRO(ARMCI_INIT(argc, argv));
    return 0;
}
