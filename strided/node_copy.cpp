#include "strided/node_copy.hpp"

#include "gmr/kernels/copy.hpp"
#include "strided/walk.hpp"

namespace armci::strided {
namespace {

template <std::size_t Bytes> void copy_fixed(const Shape& shape, const std::byte* source, std::byte* target)
{
    struct Piece {
        std::byte bytes[Bytes];
    };
    walk(shape, source, target, [](const std::byte* from, std::byte* to) {
        Piece piece; // through a register: the two may overlap
        std::memcpy(&piece, from, Bytes);
        std::memcpy(to, &piece, Bytes);
    });
}

} // namespace

void copy(const Shape& shape, const std::byte* source, std::byte* target)
{
    switch (shape.segment) {
    case 4: copy_fixed<4>(shape, source, target); break;
    case 8: copy_fixed<8>(shape, source, target); break;
    case 16: copy_fixed<16>(shape, source, target); break;
    case 32: copy_fixed<32>(shape, source, target); break;
    case 64: copy_fixed<64>(shape, source, target); break;
    default: {
        const auto segment = static_cast<std::size_t>(shape.segment);
        walk(shape, source, target, [segment](const std::byte* from, std::byte* to) {
            gmr::kernels::copy(to, from, segment);
        });
    }
    }
}

} // namespace armci::strided
