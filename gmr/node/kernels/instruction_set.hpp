// The vector instructions that the kernels use: chosen once at start-up, before the first transfer. Every set
// gives the same bits, products and sums being rounded one by one, unless the build itself is for processors
// with fused ones (-march).
#pragma once

namespace armci {
struct Settings;
}

namespace armci::gmr::kernels {

// Each has all that stand before it.
enum class InstructionSet { portable, avx2, avx512 };
inline constexpr int instruction_sets = 3;

const char* name_of(InstructionSet set);

// The widest that this processor, its system and this build have.
InstructionSet widest();

// What sums and copies of rows use; portable until somebody chooses.
InstructionSet in_use();
// The same for long copies; portable is libc's.
InstructionSet in_use_for_long_copies();

// `sums` and `copies` are at most widest().
void use(InstructionSet sums, InstructionSet copies);

// What ARMCI_KERNELS asks for, or the widest with a warning (`complain`: one process of a job) where the
// machine lacks it. By default the widest for sums and rows, and what is best for long copies.
void set_policy(const Settings& settings, bool complain);

} // namespace armci::gmr::kernels
