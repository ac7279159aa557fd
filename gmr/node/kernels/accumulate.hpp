// Accumulate kernels of the node path: target[i] += scale * source[i].
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::gmr::kernels {

// Element types in the order of the public enum ARMCI_Acc_e.
enum class Element { int_, long_, float_, double_, complex_, double_complex };
inline constexpr int element_kinds = 6;

// Bytes of one element.
constexpr std::size_t element_size(Element element)
{
    constexpr std::size_t sizes[element_kinds] = {sizeof(int),    sizeof(long),      sizeof(float),
                                                  sizeof(double), 2 * sizeof(float), 2 * sizeof(double)};
    return sizes[static_cast<int>(element)];
}
// Bytes of its real component: what addresses are multiples of where MPI adds.
constexpr std::size_t element_alignment(Element element)
{
    constexpr std::size_t alignments[element_kinds] = {sizeof(int),    sizeof(long),  sizeof(float),
                                                       sizeof(double), sizeof(float), sizeof(double)};
    return alignments[static_cast<int>(element)];
}
const char* element_name(Element element);

// Adds `bytes` (whole components) from `source`, both at any address. `scale` points to one element. No
// locking. A complex run starts at a real part.
using AccumulateKernel = void (*)(std::byte* target, const std::byte* source, std::size_t bytes,
                                  const void* scale);

// Segments of one size at equal distances, one after the other; strides in bytes, of any sign.
struct Rows {
    std::byte* target;
    std::int64_t target_stride;
    const std::byte* source;
    std::int64_t source_stride;
    std::int64_t count;
    std::size_t bytes;
};
using AccumulateRowsKernel = void (*)(const Rows& rows, const void* scale);

struct AccumulateKernels {
    AccumulateKernel segment;
    AccumulateRowsKernel rows;
};

// The kernels for a scale value: a plain sum where the scale is 1.
AccumulateKernels choose_accumulate(Element element, const void* scale);

bool is_unit_scale(Element element, const void* scale);

// target[i] = scale * source[i]; the two do not overlap.
void scale(Element element, std::byte* target, const std::byte* source, std::size_t bytes, const void* scale);

} // namespace armci::gmr::kernels
