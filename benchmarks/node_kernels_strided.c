/* Strided transfers against a loop written by hand over the same layout. */
#include "node_kernels.h"

static void library_strided(void* context, long repeats)
{
    struct context* c = context;
    int packed[1] = {c->segment}, apart[1] = {c->stride}, count[2] = {c->segment, SEGMENTS};
    while (repeats-- > 0)
        if (c->kind == PUT)
            ARMCI_PutS(c->mine, packed, c->theirs, apart, count, 1, c->target);
        else if (c->kind == GET)
            ARMCI_GetS(c->theirs, apart, c->mine, packed, count, 1, c->target);
        else
            ARMCI_AccS(ARMCI_ACC_DBL, &c->scale, c->mine, packed, c->theirs, apart, count, 1, c->target);
}

/* The size is a constant in each of these, as in a program that knows its own arrays. */
#define COPY_LOOP(bytes)                                                                                     \
    case bytes:                                                                                              \
        for (int i = 0; i < SEGMENTS; ++i)                                                                   \
            memcpy(to + (size_t)i * to_stride, from + (size_t)i * from_stride, bytes);                       \
        break

static void loop_strided(void* context, long repeats)
{
    struct context* c = context;
    const size_t there = (size_t)c->stride, here = (size_t)c->segment;
    while (repeats-- > 0) {
        char* const to = c->kind == GET ? c->mine : c->plain;
        const char* const from = c->kind == GET ? c->plain : c->mine;
        const size_t to_stride = c->kind == GET ? here : there, from_stride = c->kind == GET ? there : here;
        if (c->kind == ACC) {
            for (int i = 0; i < SEGMENTS; ++i) {
                double* sum = (double*)(to + (size_t)i * to_stride);
                const double* term = (const double*)(from + (size_t)i * from_stride);
                for (size_t k = 0; k < here / sizeof(double); ++k)
                    sum[k] += c->scale * term[k];
            }
        } else {
            switch (c->segment) {
                COPY_LOOP(8);
                COPY_LOOP(16);
                COPY_LOOP(64);
                COPY_LOOP(1024);
            default:
                fail("no loop for this size");
            }
        }
        __asm__ volatile("" ::: "memory");
    }
}

void strided_against_loop(struct context* c)
{
    static const int segments[] = {8, 16, 64, 1024};
    printf("%-4s %8s %12s %12s %8s\n", "call", "segment", "us", "loop us", "ratio");
    for (c->kind = PUT; c->kind <= ACC; ++c->kind)
        for (int i = 0; i < 4; ++i) {
            c->segment = segments[i];
            c->stride = 2 * segments[i];
            const struct comparison found = compare(library_strided, c, loop_strided, c);
            printf("%-4s %8d %12.3f %12.3f %8.2f\n", operation_names[c->kind], c->segment, found.ns / 1e3,
                   found.reference_ns / 1e3, 1 / found.ratio);
            char series[48];
            snprintf(series, sizeof series, "%sS_1024_segments/time", operation_names[c->kind]);
            print_row_if_asked(series, c->segment, found.ns / 1e3, "us");
            snprintf(series, sizeof series, "%sS_1024_segments/loop_by_hand", operation_names[c->kind]);
            print_row_if_asked(series, c->segment, found.reference_ns / 1e3, "us");
            snprintf(series, sizeof series, "%sS_of_the_loop/speed_ratio", operation_names[c->kind]);
            print_row_if_asked(series, c->segment, 1 / found.ratio, "x");
        }
}
