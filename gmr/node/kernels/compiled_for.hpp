// Marks a function as compiled for an instruction set, with what it calls compiled into it. It may be called
// where gmr/node/kernels/instruction_set says that the machine has the set. On other processors it is
// portable code.
#pragma once

#if defined(__x86_64__)
#define ARMCI_FOR_AVX2 [[gnu::target("avx2"), gnu::flatten]]
#define ARMCI_FOR_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl"), gnu::flatten]]
#else
#define ARMCI_FOR_AVX2
#define ARMCI_FOR_AVX512
#endif
