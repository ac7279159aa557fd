// Node copy: moves a shape between two addresses of this process, segment by segment, in the walk's order.
// Each segment may overlap its destination; what several segments write twice ends as some serial order
// leaves it.
#pragma once

#include "strided/shape.hpp"

#include <cstddef>

namespace armci::strided {

void copy(const Shape& shape, const std::byte* source, std::byte* target);

} // namespace armci::strided
