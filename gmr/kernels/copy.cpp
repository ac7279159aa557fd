#include "gmr/kernels/copy.hpp"

#include "gmr/kernels/compiled_for.hpp"

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

template <std::size_t Bytes>
struct VectorOf {
    typedef unsigned char type __attribute__((vector_size(Bytes))); // GCC ignores it in an alias
};

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
// AMD's Zen 5: between these its string instruction is the fastest copy at nearly all places, best from the
// start of a line, and beyond, past the caches, whole lines in a row. Where both sides' lines begin together
// it holds out longer. A target up to a line further on in its page than its source makes it slow, which only
// a loop between the second cache and the third gains from (docs/design/0007).
constexpr std::size_t least_string_bytes = 16 * 1024;
constexpr std::size_t most_string_bytes = std::size_t{14} << 20;
constexpr std::size_t most_string_bytes_in_step = std::size_t{16} << 20;

bool loop_is_faster(std::size_t further_in_page, std::size_t n)
{
    return further_in_page > 0 && further_in_page < line && n > 64 * 1024 && n <= 256 * 1024;
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

ARMCI_FOR_AVX512 void by_avx512_and_strings(std::byte* to, const std::byte* from, std::size_t n)
{
    const std::size_t further =
        (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
    if (n < least_string_bytes || loop_is_faster(further, n) || overlap(to, from, n)) {
        by_vectors<64>(to, from, n);
        return;
    }
    if (n > (further % line == 0 ? most_string_bytes_in_step : most_string_bytes)) {
        in_a_row_past_the_caches(to, from, n);
        return;
    }
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(from) % line;
    const __m512i first = _mm512_loadu_si512(from);
    _mm512_storeu_si512(to, first);
    to += head;
    from += head;
    n -= head;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
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
