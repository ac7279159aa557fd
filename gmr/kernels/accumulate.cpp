#include "gmr/kernels/accumulate.hpp"

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
using loose = typename Loose<T>::type; // a T at any address

template <class T>
struct Tight {
    using type [[gnu::may_alias]] = T;
};
template <class T>
using tight = typename Tight<T>::type; // a T at its natural address, whatever lives there

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
void add(std::byte* target, const std::byte* source, std::size_t bytes, const void*)
{
    using T = typename Arithmetic<Value>::type;
    auto* const to = reinterpret_cast<tight<T>*>(target);
    const auto* const from = reinterpret_cast<const loose<T>*>(source);
    const std::size_t count = bytes / sizeof(T);
    for (std::size_t i = 0; i < count; ++i)
        to[i] += from[i];
}

template <class Value>
void add_scaled(std::byte* target, const std::byte* source, std::size_t bytes, const void* scale)
{
    using T = typename Arithmetic<Value>::type;
    const T factor = scale_of<T>(scale);
    auto* const to = reinterpret_cast<tight<T>*>(target);
    const auto* const from = reinterpret_cast<const loose<T>*>(source);
    const std::size_t count = bytes / sizeof(T);
    for (std::size_t i = 0; i < count; ++i)
        to[i] += factor * from[i];
}

template <class T>
void add_scaled_complex(std::byte* target, const std::byte* source, std::size_t bytes, const void* scale)
{
    const auto [re, im] = scale_of<std::array<T, 2>>(scale);
    auto* const to = reinterpret_cast<tight<T>*>(target);
    const auto* const from = reinterpret_cast<const loose<T>*>(source);
    const std::size_t count = bytes / sizeof(T);
    for (std::size_t i = 0; i + 1 < count; i += 2) {
        const T source_re = from[i];
        const T source_im = from[i + 1];
        to[i] += re * source_re - im * source_im;
        to[i + 1] += re * source_im + im * source_re;
    }
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
    std::size_t size;
    std::size_t alignment;
    bool (*unit)(const void*);
    AccumulateKernel plain;
    AccumulateKernel scaled;
};

constexpr Row rows[element_kinds] = {
    {"ARMCI_ACC_INT", sizeof(int), sizeof(int), is_one<int>, add<int>, add_scaled<int>},
    {"ARMCI_ACC_LNG", sizeof(long), sizeof(long), is_one<long>, add<long>, add_scaled<long>},
    {"ARMCI_ACC_FLT", sizeof(float), sizeof(float), is_one<float>, add<float>, add_scaled<float>},
    {"ARMCI_ACC_DBL", sizeof(double), sizeof(double), is_one<double>, add<double>, add_scaled<double>},
    {"ARMCI_ACC_CPL", 2 * sizeof(float), sizeof(float), is_complex_one<float>, add<float>,
     add_scaled_complex<float>},
    {"ARMCI_ACC_DCP", 2 * sizeof(double), sizeof(double), is_complex_one<double>, add<double>,
     add_scaled_complex<double>},
};

const Row& row(Element element)
{
    return rows[static_cast<int>(element)];
}

} // namespace

std::size_t element_size(Element element)
{
    return row(element).size;
}
std::size_t element_alignment(Element element)
{
    return row(element).alignment;
}
const char* element_name(Element element)
{
    return row(element).name;
}

AccumulateKernel choose_accumulate(Element element, const void* scale)
{
    const Row& chosen = row(element);
    return chosen.unit(scale) ? chosen.plain : chosen.scaled;
}

bool is_unit_scale(Element element, const void* scale)
{
    return row(element).unit(scale);
}

void scale(Element element, std::byte* target, const std::byte* source, std::size_t bytes, const void* scale)
{
    std::memset(target, 0, bytes);
    row(element).scaled(target, source, bytes, scale);
}

} // namespace armci::gmr::kernels
