// Computed: a value that the compiler has to have from here on, in one register. It would rather keep the
// terms of a sum or a product as long as each is used elsewhere, and the shortest calls would push registers
// for them.
#pragma once

namespace armci {

template <class Integer>
inline Integer computed(Integer value)
{
    __asm__("" : "+r"(value));
    return value;
}

} // namespace armci
