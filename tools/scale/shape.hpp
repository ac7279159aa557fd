// Shape: how many nodes a job has, and how many processes each of them.
#pragma once

#include <cstdint>

namespace armci::scale {

struct Shape {
    std::int64_t nodes = 1;
    std::int64_t per_node = 1;

    std::int64_t processes() const { return nodes * per_node; }
};

} // namespace armci::scale
