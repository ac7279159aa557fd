#include "gmr/node/kernels/accumulate.hpp"

#include "gmr/node/kernels/compiled_for.hpp"
#include "gmr/node/kernels/instruction_set.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace armci::gmr::kernels {
namespace {

template <class T>
struct Loose {
    using type [[gnu::aligned(1), gnu::may_alias]] = T;
};
template <class T>
using loose = typename Loose<T>::type; // a T at any address, whatever lives there

// Integers wrap around, as the C types do in memory.
template <class T>
struct Arithmetic {
    using type = T;
};
template <>
struct Arithmetic<int> {
    using type = unsigned;
};
template <>
struct Arithmetic<long> {
    using type = unsigned long;
};

template <class T>
T scale_of(const void* scale)
{
    T value;
    std::memcpy(&value, scale, sizeof value);
    return value;
}

template <class Value>
struct Add {
    using T = typename Arithmetic<Value>::type;

    explicit Add(const void*) {}
    void operator()(std::byte* target, const std::byte* source, std::size_t bytes) const
    {
        auto* const to = reinterpret_cast<loose<T>*>(target);
        const auto* const from = reinterpret_cast<const loose<T>*>(source);
        const std::size_t count = bytes / sizeof(T);
        for (std::size_t i = 0; i < count; ++i)
            to[i] += from[i];
    }
};

template <class Value>
struct AddScaled {
    using T = typename Arithmetic<Value>::type;

    explicit AddScaled(const void* scale) : factor(scale_of<T>(scale)) {}
    void operator()(std::byte* target, const std::byte* source, std::size_t bytes) const
    {
        auto* const to = reinterpret_cast<loose<T>*>(target);
        const auto* const from = reinterpret_cast<const loose<T>*>(source);
        const std::size_t count = bytes / sizeof(T);
        for (std::size_t i = 0; i < count; ++i)
            to[i] += factor * from[i];
    }

    T factor;
};

template <class T>
struct AddScaledComplex {
    explicit AddScaledComplex(const void* scale) : factor(scale_of<std::array<T, 2>>(scale)) {}
    void operator()(std::byte* target, const std::byte* source, std::size_t bytes) const
    {
        const auto [re, im] = factor;
        auto* const to = reinterpret_cast<loose<T>*>(target);
        const auto* const from = reinterpret_cast<const loose<T>*>(source);
        const std::size_t count = bytes / sizeof(T);
        for (std::size_t i = 0; i + 1 < count; i += 2) {
            const T source_re = from[i];
            const T source_im = from[i + 1];
            to[i] += re * source_re - im * source_im;
            to[i + 1] += re * source_im + im * source_re;
        }
    }

    std::array<T, 2> factor;
};

template <class Sum>
void add(std::byte* target, const std::byte* source, std::size_t bytes, const void* scale)
{
    Sum{scale}(target, source, bytes);
}

// Segments of a size known here are added in registers: nothing else can lie in the copies.
template <std::size_t Bytes, class Sum>
void add_fixed(const Rows& rows, const Sum& sum)
{
    std::byte* target = rows.target;
    const std::byte* source = rows.source;
    for (std::int64_t i = 0; i < rows.count; ++i) {
        alignas(Bytes) std::byte sums[Bytes];
        alignas(Bytes) std::byte terms[Bytes];
        std::memcpy(sums, target, Bytes);
        std::memcpy(terms, source, Bytes);
        sum(sums, terms, Bytes);
        std::memcpy(target, sums, Bytes);
        target += rows.target_stride;
        source += rows.source_stride;
    }
}

template <class Sum>
void add_rows(const Rows& rows, const void* scale)
{
    const Sum sum{scale};
    switch (rows.bytes) {
    case 8:
        add_fixed<8>(rows, sum);
        return;
    case 16:
        add_fixed<16>(rows, sum);
        return;
    case 32:
        add_fixed<32>(rows, sum);
        return;
    case 64:
        add_fixed<64>(rows, sum);
        return;
    default:
        break;
    }
    for (std::int64_t i = 0; i < rows.count; ++i)
        sum(rows.target + i * rows.target_stride, rows.source + i * rows.source_stride, rows.bytes);
}

template <class Sum>
ARMCI_FOR_AVX2 void add_avx2(std::byte* target, const std::byte* source, std::size_t bytes, const void* scale)
{
    add<Sum>(target, source, bytes, scale);
}
template <class Sum>
ARMCI_FOR_AVX2 void add_rows_avx2(const Rows& rows, const void* scale)
{
    add_rows<Sum>(rows, scale);
}

template <class Sum>
ARMCI_FOR_AVX512 void add_avx512(std::byte* target, const std::byte* source, std::size_t bytes,
                                 const void* scale)
{
    add<Sum>(target, source, bytes, scale);
}
template <class Sum>
ARMCI_FOR_AVX512 void add_rows_avx512(const Rows& rows, const void* scale)
{
    add_rows<Sum>(rows, scale);
}

template <class T>
bool is_one(const void* scale)
{
    return scale_of<T>(scale) == T{1};
}

template <class T>
bool is_complex_one(const void* scale)
{
    const auto [re, im] = scale_of<std::array<T, 2>>(scale);
    return re == T{1} && im == T{0};
}

struct Row {
    const char* name;
    bool (*unit)(const void*);
    const AccumulateKernels* plain; // by instruction set
    const AccumulateKernels* scaled;
};

template <class Sum>
constexpr AccumulateKernels kernels_of[instruction_sets] = {
    {add<Sum>, add_rows<Sum>}, {add_avx2<Sum>, add_rows_avx2<Sum>}, {add_avx512<Sum>, add_rows_avx512<Sum>}};

// With AVX-512 GCC 12 fuses differences and sums in turn, in spite of -ffp-contract=off.
template <class T>
constexpr AccumulateKernels kernels_of<AddScaledComplex<T>>[instruction_sets] = {
    {add<AddScaledComplex<T>>, add_rows<AddScaledComplex<T>>},
    {add_avx2<AddScaledComplex<T>>, add_rows_avx2<AddScaledComplex<T>>},
    {add_avx2<AddScaledComplex<T>>, add_rows_avx2<AddScaledComplex<T>>}};

constexpr Row rows[element_kinds] = {
    {"ARMCI_ACC_INT", is_one<int>, kernels_of<Add<int>>, kernels_of<AddScaled<int>>},
    {"ARMCI_ACC_LNG", is_one<long>, kernels_of<Add<long>>, kernels_of<AddScaled<long>>},
    {"ARMCI_ACC_FLT", is_one<float>, kernels_of<Add<float>>, kernels_of<AddScaled<float>>},
    {"ARMCI_ACC_DBL", is_one<double>, kernels_of<Add<double>>, kernels_of<AddScaled<double>>},
    {"ARMCI_ACC_CPL", is_complex_one<float>, kernels_of<Add<float>>, kernels_of<AddScaledComplex<float>>},
    {"ARMCI_ACC_DCP", is_complex_one<double>, kernels_of<Add<double>>, kernels_of<AddScaledComplex<double>>},
};

const Row& row(Element element)
{
    return rows[static_cast<int>(element)];
}

} // namespace

const char* element_name(Element element)
{
    return row(element).name;
}

AccumulateKernels choose_accumulate(Element element, const void* scale)
{
    const Row& chosen = row(element);
    return (chosen.unit(scale) ? chosen.plain : chosen.scaled)[static_cast<int>(in_use())];
}

bool is_unit_scale(Element element, const void* scale)
{
    return row(element).unit(scale);
}

void scale(Element element, std::byte* target, const std::byte* source, std::size_t bytes, const void* scale)
{
    std::memset(target, 0, bytes);
    row(element).scaled[static_cast<int>(in_use())].segment(target, source, bytes, scale);
}

} // namespace armci::gmr::kernels
