#include "gmr/node/kernels/copy.hpp"

#include "gmr/node/kernels/compiled_for.hpp"
#include "gmr/node/kernels/faster_way.hpp"
#include "gmr/node/kernels/vector_of.hpp"

#include <array>
#include <chrono>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace armci::gmr::kernels {
namespace {

// From here on the target goes past the caches. Below, a reader would miss them more than the copy gains, as
// measured on one Intel processor (docs/design/0007).
constexpr std::size_t past_the_caches_bytes = std::size_t{8} << 20;

void by_libc(std::byte* to, const std::byte* from, std::size_t n)
{
    std::memmove(to, from, n);
}

bool overlap(const std::byte* to, const std::byte* from, std::size_t n)
{
    const auto distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
    return distance < n || -distance < n;
}

constexpr std::size_t line = 64;
constexpr std::size_t page = 4096;

#if defined(__x86_64__)
// Several pages at once, a line of each in turn: they are fetched ahead independently.
void past_the_caches(std::byte* to, const std::byte* from, std::size_t n)
{
    constexpr std::size_t pages = 4;
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % line;
    std::memcpy(to, from, head);
    std::size_t done = head;
    for (; done + pages * page <= n; done += pages * page)
        for (std::size_t i = done; i < done + page; i += line)
            for (std::size_t at = i; at < i + pages * page; at += page)
                for (std::size_t part = at; part < at + line; part += 16)
                    _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + part)));
    _mm_sfence(); // such stores are in no order with those that follow
    std::memcpy(to + done, from + done, n - done);
}
#else
void past_the_caches(std::byte* to, const std::byte* from, std::size_t n)
{
    std::memcpy(to, from, n);
}
#endif

// Stores to whole vectors but for the two ends. What overlaps is left to libc.
template <std::size_t Width>
inline void by_vectors(std::byte* to, const std::byte* from, std::size_t n)
{
    using Vector = typename VectorOf<Width>::type;
    constexpr std::size_t step = 4 * Width;
    static_assert(2 * step <= long_copy_bytes);
    if (overlap(to, from, n)) {
        std::memmove(to, from, n);
        return;
    }
    if (n >= past_the_caches_bytes) {
        past_the_caches(to, from, n);
        return;
    }
    const auto four = [to, from](std::size_t i) {
        Vector a, b, c, d;
        std::memcpy(&a, from + i, Width);
        std::memcpy(&b, from + i + Width, Width);
        std::memcpy(&c, from + i + 2 * Width, Width);
        std::memcpy(&d, from + i + 3 * Width, Width);
        std::memcpy(to + i, &a, Width);
        std::memcpy(to + i + Width, &b, Width);
        std::memcpy(to + i + 2 * Width, &c, Width);
        std::memcpy(to + i + 3 * Width, &d, Width);
    };
    Vector head;
    std::memcpy(&head, from, Width);
    std::memcpy(to, &head, Width);
    std::size_t i = Width - reinterpret_cast<std::uintptr_t>(to) % Width;
    for (; i + step <= n; i += step)
        four(i);
    four(n - step);
}

ARMCI_FOR_AVX2 void by_avx2(std::byte* to, const std::byte* from, std::size_t n)
{
    by_vectors<32>(to, from, n);
}
ARMCI_FOR_AVX512 void by_avx512(std::byte* to, const std::byte* from, std::size_t n)
{
    by_vectors<64>(to, from, n);
}

#if defined(__x86_64__)
// AMD's Zen 5: from these on its string instruction is the fastest copy at nearly all places, best from the
// start of a line, and above a third of the third cache, past the caches, whole lines in a row. Between, what
// others leave of that cache decides. A target up to a line further on in its page than its source makes the
// string instruction slow, which only a loop between the second cache and the third gains from
// (docs/design/0007).
constexpr std::size_t least_string_bytes = 16 * 1024;
constexpr std::size_t disputed_bytes = std::size_t{12} << 20;
constexpr std::size_t most_disputed_bytes = std::size_t{24} << 20;

bool is_slow_for_strings(std::size_t further_in_page)
{
    return further_in_page > 0 && further_in_page < line;
}

bool loop_is_faster(std::size_t further_in_page, std::size_t n)
{
    return is_slow_for_strings(further_in_page) && n > 64 * 1024 && n <= 256 * 1024;
}

ARMCI_FOR_AVX2 void in_a_row_past_the_caches(std::byte* to, const std::byte* from, std::size_t n)
{
    constexpr std::size_t width = sizeof(__m256i);
    constexpr std::size_t step = 4 * width;
    std::size_t done = -reinterpret_cast<std::uintptr_t>(to) % width;
    std::memcpy(to, from, done);
    for (; done + step <= n; done += step) {
        __m256i part[4];
        for (std::size_t i = 0; i < 4; ++i)
            part[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + done + i * width));
        for (std::size_t i = 0; i < 4; ++i)
            _mm256_stream_si256(reinterpret_cast<__m256i*>(to + done + i * width), part[i]);
    }
    _mm_sfence();
    std::memcpy(to + done, from + done, n - done);
}

ARMCI_FOR_AVX512 void by_string(std::byte* to, const std::byte* from, std::size_t n)
{
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(from) % line;
    const __m512i first = _mm512_loadu_si512(from);
    _mm512_storeu_si512(to, first);
    to += head;
    from += head;
    n -= head;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

// By every 4 MiB, and by where strings are quick, slow, and neither.
void by_the_faster(std::size_t further_in_page, std::byte* to, const std::byte* from, std::size_t n)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t step = std::size_t{4} << 20;
    constexpr std::size_t sizes = (most_disputed_bytes - disputed_bytes) / step + 1;
    constexpr FasterWay strings_first{0};
    constexpr FasterWay stores_first{1};
    thread_local std::array<std::array<FasterWay, sizes>, 3> known{{
        {strings_first, strings_first, stores_first, stores_first},
        {strings_first, stores_first, stores_first, stores_first},
        {stores_first, stores_first, stores_first, stores_first},
    }};
    const std::size_t place = further_in_page % line == 0 ? 0 : is_slow_for_strings(further_in_page) ? 2 : 1;
    FasterWay& ways = known[place][(n - disputed_bytes) / step];
    const unsigned way = ways.choose();
    const Clock::time_point begin = Clock::now();
    if (way == 0)
        by_string(to, from, n);
    else
        in_a_row_past_the_caches(to, from, n);
    const std::chrono::duration<double> took = Clock::now() - begin;
    ways.took(way, took.count() / static_cast<double>(n));
}

ARMCI_FOR_AVX512 void by_avx512_and_strings(std::byte* to, const std::byte* from, std::size_t n)
{
    const std::size_t further =
        (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
    if (n < least_string_bytes || loop_is_faster(further, n) || overlap(to, from, n)) {
        by_vectors<64>(to, from, n);
        return;
    }
    if (n < disputed_bytes)
        by_string(to, from, n);
    else if (n <= most_disputed_bytes)
        by_the_faster(further, to, from, n);
    else
        in_a_row_past_the_caches(to, from, n);
}

bool strings_are_fast()
{
    constexpr unsigned zen5 = 0x1a;
    constexpr unsigned fast_short_rep_mov = 1U << 4;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (!__builtin_cpu_is("amd") || __get_cpuid(1, &a, &b, &c, &d) == 0)
        return false;
    const unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
    return family >= zen5 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & fast_short_rep_mov) != 0;
}
#endif

} // namespace

namespace detail {
LongCopy long_copy = by_libc;
}

InstructionSet best_for_long_copies()
{
    const InstructionSet most = widest();
#if defined(__x86_64__)
    if (most == InstructionSet::avx2 && !__builtin_cpu_is("amd"))
        return InstructionSet::portable;
#endif
    return most;
}

LongCopy long_copy_of(InstructionSet set)
{
    switch (set) {
    case InstructionSet::portable:
        return by_libc;
    case InstructionSet::avx2:
        return by_avx2;
    case InstructionSet::avx512:
#if defined(__x86_64__)
        if (strings_are_fast())
            return by_avx512_and_strings;
#endif
        return by_avx512;
    }
    return nullptr;
}

} // namespace armci::gmr::kernels
