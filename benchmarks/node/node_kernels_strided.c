/* Strided transfers against a loop written by hand over the same layout. */
#include "node_kernels.h"

static void library_strided(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0)
        transfer_strided(c->kind, c->mine, c->theirs, c->segment, SEGMENTS, &c->scale, c->target);
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
    for (c->kind = PUT; c->kind < KINDS; ++c->kind)
        for (size_t i = 0; i < sizeof segments / sizeof *segments; ++i) {
            c->segment = segments[i];
            c->stride = 2 * segments[i];
            const struct comparison found = compare(library_strided, c, loop_strided, c);
            const char* const call = kinds[c->kind];
            print_rowf(c->segment, found.ns / 1e3, "us", "%sS_1024_segments/time", call);
            print_rowf(c->segment, found.reference_ns / 1e3, "us", "%sS_1024_segments/loop_by_hand", call);
            print_rowf(c->segment, 1 / found.ratio, "x", "%sS_of_the_loop/speed_ratio", call);
        }
}
