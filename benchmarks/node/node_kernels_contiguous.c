/* Contiguous transfers against the best of several copies in the same process, from and to places in a page.
 * What was copied is once left alone and once read by who copied it: stores past the caches are the fastest
 * copy from 1.5 MiB on, and the slowest way to data that somebody wants. */
#include "node_kernels.h"

#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
    transfer(c->kind, c->mine, c->theirs, c->bytes, &c->scale, c->target);
}

static void read_copy(const struct context* c, copy by)
{
    typedef double eight __attribute__((vector_size(64)));
    static volatile double sum_of_all;
    const char* const copied = c->kind == GET ? c->mine : by == NULL ? c->theirs : c->plain;
    const eight* const values = (const eight*)(((uintptr_t)copied + 63) / 64 * 64);
    eight sums[4] = {0};
    for (size_t i = 0; (i + 5) * sizeof(eight) <= c->bytes; i += 4)
        for (int k = 0; k < 4; ++k)
            sums[k] += values[i + (size_t)k];
    const eight sum = sums[0] + sums[1] + sums[2] + sums[3];
    sum_of_all = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
    (void)sum_of_all;
}

/* Calls after a first one: what they find in the caches is what their own kind leaves there. Of short ones
 * several, so that the clock can tell. */
static double once(struct context* c, void (*way)(struct context*, copy), copy by)
{
    const size_t enough = 256 << 10;
    const int calls = c->bytes < enough ? (int)(enough / c->bytes) : 1;
    double begin = 0;
    for (int turn = 0; turn <= calls; ++turn) {
        if (turn == 1)
            begin = seconds();
        way(c, by);
        if (c->reads)
            read_copy(c, by);
    }
    return (seconds() - begin) / calls;
}

enum { LOOKS = 11, MOST_COPIES = 5 };

/* The median of rounds of: the library / the best of the others, all next to one another. */
static double best_against_library(struct context* c, int rounds)
{
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
    int order[MOST_COPIES + 1];
    for (int i = 0; i <= count; ++i)
        order[i] = i;
    double ratios[LOOKS], library[LOOKS], other[MOST_COPIES][LOOKS], best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        shuffle(order, count + 1);
        for (int turn = 0; turn <= count; ++turn) {
            const int i = order[turn];
            if (i == count)
                library[round] = once(c, library_once, NULL);
            else
                other[i][round] = once(c, call, others[i]);
        }
    }
    int winner = 0;
    for (int i = 0; i < count; ++i) {
        double sorted[LOOKS];
        memcpy(sorted, other[i], sizeof sorted);
        const double middle = median(sorted, rounds);
        if (middle < best) {
            best = middle;
            winner = i;
        }
    }
    for (int round = 0; round < rounds; ++round)
        ratios[round] = other[winner][round] / library[round];
    return median(ratios, rounds);
}

/* The same from `mine` and to `theirs`, bytes into a page. A low ratio is looked at again: the place, or the
 * moment? */
static double ratio_at(const struct context* c, int mine, int theirs, int rounds)
{
    struct context there = *c;
    there.mine += mine;
    there.theirs += theirs;
    there.plain += theirs;
    double looks[3];
    looks[0] = best_against_library(&there, rounds);
    if (looks[0] >= 0.95)
        return looks[0];
    for (int look = rounds < LOOKS ? 0 : 1; look < 3; ++look)
        looks[look] = best_against_library(&there, LOOKS);
    return median(looks, 3);
}

void contiguous_against_best_copy(struct context* c)
{
    static const int places[] = {0, 8, 64, 520, 2048, 4032, 4088};
    enum { PLACES = sizeof places / sizeof *places };
    for (c->kind = PUT; c->kind <= (c->reads ? GET : ACC); ++c->kind)
        for (c->bytes = 32 << 10; c->bytes <= LARGEST; c->bytes *= 8) {
            const char *const call = kinds[c->kind], *const what = c->reads ? "and_read" : "only";
            double ratios[PLACES * PLACES];
            int count = 0;
            for (int i = 0; i < PLACES; ++i)
                for (int j = 0; j < PLACES; ++j)
                    ratios[count++] = ratio_at(c, places[i], places[j], LOOKS);
            const double middle = median(ratios, count); /* sorts */
            print_rowf((double)c->bytes, ratios[0], "x", "%s_%s_of_the_best_copy/least", call, what);
            print_rowf((double)c->bytes, middle, "x", "%s_%s_of_the_best_copy/median", call, what);
        }
}

/* Half of them anywhere, a quarter at lines' starts, and a quarter where a copy is slow: up to a line further
 * on in its page than its source. */
static void draw_places(unsigned* seed, int kind, int* mine, int* theirs)
{
    *mine = rand_r(seed) % PAGE;
    *theirs = rand_r(seed) % PAGE;
    switch (rand_r(seed) % 4) {
    case 0:
        *mine -= *mine % 64;
        *theirs -= *theirs % 64;
        break;
    case 1: {
        const int further = 1 + rand_r(seed) % 63;
        if (kind == GET)
            *mine = (*theirs + further) % PAGE;
        else
            *theirs = (*mine + further) % PAGE;
        break;
    }
    default:
        break;
    }
}

struct place {
    int mine, theirs;
    double ratio;
};

void contiguous_anywhere(struct context* c, double time, unsigned seed)
{
    enum { MOST_PAIRS = 100000, MOST_LOW = 1000, SIZES = 10 };
    static double ratios[MOST_PAIRS];
    static struct place low[MOST_LOW];
    printf("%s\n%-4s %10s %8s %8s %8s %8s  %s\n", c->reads ? "copied and read" : "copied", "call", "bytes",
           "pairs", "median", "< 0.9", "again", "least ratio seen again, at these places of a page");
    for (c->kind = PUT; c->kind <= GET; ++c->kind)
        for (c->bytes = 32 << 10; c->bytes <= LARGEST; c->bytes *= 2) {
            int count = 0, lows = 0, again = 0;
            const double end = seconds() + time / (2 * SIZES);
            while (count == 0 || (seconds() < end && count < MOST_PAIRS)) {
                struct place one;
                draw_places(&seed, c->kind, &one.mine, &one.theirs);
                one.ratio = ratio_at(c, one.mine, one.theirs, 3);
                ratios[count++] = one.ratio;
                if (one.ratio < 0.9 && lows < MOST_LOW)
                    low[lows++] = one;
            }
            struct place least = {0, 0, 1e9};
            for (int i = 0; i < lows; ++i) { /* the place, or the moment? */
                const double ratio = ratio_at(c, low[i].mine, low[i].theirs, LOOKS);
                again += ratio < 0.9;
                if (ratio < least.ratio) {
                    least = low[i];
                    least.ratio = ratio;
                }
            }
            printf("%-4s %10zu %8d %8.2f %8d %8d", kinds[c->kind], c->bytes, count, median(ratios, count),
                   lows, again);
            if (again > 0)
                printf("  %.2f, mine %d, theirs %d", least.ratio, least.mine, least.theirs);
            printf("\n");
        }
}
