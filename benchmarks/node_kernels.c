/* On the node: strided transfers against a loop written by hand over the same layout, and contiguous ones
 * against the best of several copies in the same process, from and to every kind of place within a page.
 * Process 0 works on the memory of the last one; the others wait in a barrier. Ratios are loop / library: 1
 * is as fast as the loop. What was copied is once left alone and once read by who copied it: stores past the
 * caches are the fastest copy from 1.5 MiB on, and the slowest way to data that somebody wants.
 *
 *     node_kernels [strided | contiguous]
 */
#include "measure.h"
#include "rows.h"

#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SEGMENTS 1024
#define PAGE 4096
#define LARGEST ((size_t)16 << 20)
#define SPACE (LARGEST + 2 * PAGE)

enum kind { PUT, GET, ACC };

struct context {
    enum kind kind;
    int target;
    char* mine;
    char* theirs; /* by the library */
    char* plain;  /* by the loop */
    int segment;
    int stride; /* there; mine is packed */
    size_t bytes;
    double scale;
    int reads; /* what was copied */
};

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

static void library_contiguous(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0)
        if (c->kind == PUT)
            ARMCI_Put(c->mine, c->theirs, (int)c->bytes, c->target);
        else if (c->kind == GET)
            ARMCI_Get(c->theirs, c->mine, (int)c->bytes, c->target);
        else
            ARMCI_Acc(ARMCI_ACC_DBL, &c->scale, c->mine, c->theirs, (int)c->bytes, c->target);
}

typedef void (*copy)(char* to, const char* from, size_t bytes);

static void copy_libc(char* to, const char* from, size_t bytes)
{
    out_of_line_memcpy(to, from, bytes);
}

#if defined(__x86_64__)
static void copy_string(char* to, const char* from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}

__attribute__((target("avx2"))) static void copy_avx2(char* to, const char* from, size_t bytes)
{
    size_t i = 0;
    for (; i + 128 <= bytes; i += 128) {
        const __m256i a = _mm256_loadu_si256((const __m256i*)(from + i));
        const __m256i b = _mm256_loadu_si256((const __m256i*)(from + i + 32));
        const __m256i d = _mm256_loadu_si256((const __m256i*)(from + i + 64));
        const __m256i e = _mm256_loadu_si256((const __m256i*)(from + i + 96));
        _mm256_storeu_si256((__m256i*)(to + i), a);
        _mm256_storeu_si256((__m256i*)(to + i + 32), b);
        _mm256_storeu_si256((__m256i*)(to + i + 64), d);
        _mm256_storeu_si256((__m256i*)(to + i + 96), e);
    }
    memcpy(to + i, from + i, bytes - i);
}

__attribute__((target("avx512f"))) static void copy_avx512(char* to, const char* from, size_t bytes)
{
    size_t i = (size_t)(-(uintptr_t)to & 63);
    memcpy(to, from, i);
    for (; i + 256 <= bytes; i += 256) {
        const __m512i a = _mm512_loadu_si512(from + i);
        const __m512i b = _mm512_loadu_si512(from + i + 64);
        const __m512i d = _mm512_loadu_si512(from + i + 128);
        const __m512i e = _mm512_loadu_si512(from + i + 192);
        _mm512_store_si512(to + i, a);
        _mm512_store_si512(to + i + 64, b);
        _mm512_store_si512(to + i + 128, d);
        _mm512_store_si512(to + i + 192, e);
    }
    memcpy(to + i, from + i, bytes - i);
}

__attribute__((target("avx2"))) static void copy_past_the_cache(char* to, const char* from, size_t bytes)
{
    const size_t head = (size_t)(-(uintptr_t)to & 31);
    memcpy(to, from, head);
    size_t i = head;
    for (; i + 128 <= bytes; i += 128) {
        const __m256i a = _mm256_loadu_si256((const __m256i*)(from + i));
        const __m256i b = _mm256_loadu_si256((const __m256i*)(from + i + 32));
        const __m256i d = _mm256_loadu_si256((const __m256i*)(from + i + 64));
        const __m256i e = _mm256_loadu_si256((const __m256i*)(from + i + 96));
        _mm256_stream_si256((__m256i*)(to + i), a);
        _mm256_stream_si256((__m256i*)(to + i + 32), b);
        _mm256_stream_si256((__m256i*)(to + i + 64), d);
        _mm256_stream_si256((__m256i*)(to + i + 96), e);
    }
    _mm_sfence();
    memcpy(to + i, from + i, bytes - i);
}
#endif

static void add_all(struct context* c)
{
    double* sum = (double*)c->plain;
    const double* term = (const double*)c->mine;
    for (size_t k = 0; k < c->bytes / sizeof(double); ++k)
        sum[k] += c->scale * term[k];
    __asm__ volatile("" ::: "memory");
}

static void call(struct context* c, copy by)
{
    if (by == NULL)
        add_all(c);
    else
        by(c->kind == GET ? c->mine : c->plain, c->kind == GET ? c->plain : c->mine, c->bytes);
}

static void library_once(struct context* c, copy by)
{
    (void)by;
    library_contiguous(c, 1);
}

static void read_copy(const struct context* c, copy by)
{
    static volatile double sum_of_all;
    const char* const copied = c->kind == GET ? c->mine : by == NULL ? c->theirs : c->plain;
    const double* const values = (const double*)(((uintptr_t)copied + 7) / 8 * 8);
    double sums[8] = {0};
    for (size_t i = 0; i + 8 < c->bytes / sizeof(double); i += 8)
        for (size_t k = 0; k < 8; ++k)
            sums[k] += values[i + k];
    sum_of_all = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
    (void)sum_of_all;
}

/* The second of two calls: what it finds in the caches is what its own kind leaves there. */
static double once(struct context* c, void (*way)(struct context*, copy), copy by)
{
    double begin = 0;
    for (int turn = 0; turn < 2; ++turn) {
        begin = seconds();
        way(c, by);
        if (c->reads)
            read_copy(c, by);
    }
    return seconds() - begin;
}

/* The median of rounds of: the library / the best of the others, all next to one another. */
static double best_against_library(struct context* c, double* library_us)
{
    enum { ROUNDS_HERE = 11, MOST_COPIES = 5 };
    copy others[MOST_COPIES];
    int count = 0;
    if (c->kind == ACC) {
        others[count++] = NULL;
    } else {
        others[count++] = copy_libc;
#if defined(__x86_64__)
        others[count++] = copy_string;
        if (__builtin_cpu_supports("avx2")) {
            others[count++] = copy_avx2;
            others[count++] = copy_past_the_cache;
        }
        if (__builtin_cpu_supports("avx512f"))
            others[count++] = copy_avx512;
#endif
    }
    double ratios[ROUNDS_HERE], library[ROUNDS_HERE], other[MOST_COPIES][ROUNDS_HERE], best = 1e9;
    for (int round = 0; round < ROUNDS_HERE; ++round) {
        for (int turn = 0; turn <= count; ++turn) { /* nobody always follows the same one */
            const int i = (round + turn) % (count + 1);
            if (i == count)
                library[round] = once(c, library_once, NULL);
            else
                other[i][round] = once(c, call, others[i]);
        }
    }
    int winner = 0;
    for (int i = 0; i < count; ++i) {
        double sorted[ROUNDS_HERE];
        memcpy(sorted, other[i], sizeof sorted);
        const double middle = median(sorted, ROUNDS_HERE);
        if (middle < best) {
            best = middle;
            winner = i;
        }
    }
    for (int round = 0; round < ROUNDS_HERE; ++round)
        ratios[round] = other[winner][round] / library[round];
    *library_us = 1e6 * median(library, ROUNDS_HERE);
    return median(ratios, ROUNDS_HERE);
}

static void strided(struct context* c)
{
    static const char* const names[] = {"put", "get", "acc"};
    static const int segments[] = {8, 16, 64, 1024};
    printf("%-4s %8s %12s %12s %8s\n", "call", "segment", "us", "loop us", "ratio");
    for (c->kind = PUT; c->kind <= ACC; ++c->kind)
        for (int i = 0; i < 4; ++i) {
            c->segment = segments[i];
            c->stride = 2 * segments[i];
            const struct comparison found = compare(library_strided, c, loop_strided, c);
            printf("%-4s %8d %12.3f %12.3f %8.2f\n", names[c->kind], c->segment, found.ns / 1e3,
                   found.reference_ns / 1e3, 1 / found.ratio);
            char series[48];
            snprintf(series, sizeof series, "%sS_1024_segments/time", names[c->kind]);
            print_row_if_asked(series, c->segment, found.ns / 1e3, "us");
            snprintf(series, sizeof series, "%sS_1024_segments/loop_by_hand", names[c->kind]);
            print_row_if_asked(series, c->segment, found.reference_ns / 1e3, "us");
            snprintf(series, sizeof series, "%sS_of_the_loop/speed_ratio", names[c->kind]);
            print_row_if_asked(series, c->segment, 1 / found.ratio, "x");
        }
}

static void contiguous(struct context* c)
{
    static const char* const names[] = {"put", "get", "acc"};
    static const int places[] = {0, 8, 64, 520, 2048, 4032, 4088};
    enum { PLACES = sizeof places / sizeof *places };
    char *const mine = c->mine, *const theirs = c->theirs, *const plain = c->plain;
    printf("%s\n%-4s %10s %12s %8s  %s\n", c->reads ? "copied and read" : "copied", "call", "bytes", "us",
           "median", "least ratio, at these places of a page");
    for (c->kind = PUT; c->kind <= (c->reads ? GET : ACC); ++c->kind)
        for (c->bytes = 32 << 10; c->bytes <= LARGEST; c->bytes *= 8) {
            double ratios[PLACES * PLACES], times[PLACES * PLACES], least = 1e9;
            int least_mine = 0, least_theirs = 0, count = 0;
            for (int i = 0; i < PLACES; ++i)
                for (int j = 0; j < PLACES; ++j, ++count) {
                    c->mine = mine + places[i];
                    c->theirs = theirs + places[j];
                    c->plain = plain + places[j];
                    ratios[count] = best_against_library(c, &times[count]);
                    if (ratios[count] < 0.95) { /* the place, or the moment? */
                        double looks[3] = {ratios[count]}, us;
                        for (int look = 1; look < 3; ++look)
                            looks[look] = best_against_library(c, &us);
                        ratios[count] = median(looks, 3);
                    }
                    if (ratios[count] < least) {
                        least = ratios[count];
                        least_mine = places[i];
                        least_theirs = places[j];
                    }
                }
            printf("%-4s %10zu %12.2f %8.2f  %.2f, mine %d, theirs %d\n", names[c->kind], c->bytes,
                   median(times, count), median(ratios, count), least, least_mine, least_theirs);
            char series[48];
            snprintf(series, sizeof series, "%s_%s_of_the_best_copy/least", names[c->kind],
                     c->reads ? "and_read" : "only");
            print_row_if_asked(series, (double)c->bytes, least, "x");
            snprintf(series, sizeof series, "%s_%s_of_the_best_copy/median", names[c->kind],
                     c->reads ? "and_read" : "only");
            print_row_if_asked(series, (double)c->bytes, median(ratios, count), "x");
        }
    c->mine = mine;
    c->theirs = theirs;
    c->plain = plain;
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "Node kernels");
    const char* const only = argc > 1 ? argv[1] : "";
    void** bases = global_memory(job, SPACE);
    memset(bases[job.me], 0, SPACE);
    ARMCI_Barrier();
    if (job.me == 0) {
        struct context c = {.target = job.processes - 1, .scale = 0.5};
        c.mine = aligned_alloc(PAGE, SPACE);
        c.theirs = bases[c.target];
        c.plain = bases[plain_copy_process(job, c.target)];
        if (c.mine == NULL)
            fail("no memory");
        memset(c.mine, 0, SPACE);
        if (strcmp(only, "contiguous") != 0)
            strided(&c);
        for (c.reads = 1; strcmp(only, "strided") != 0 && c.reads >= 0; --c.reads)
            contiguous(&c);
        free(c.mine);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
