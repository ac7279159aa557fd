#include "gmr/node/kernels/instruction_set.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/settings.hpp"
#include "gmr/node/kernels/copy.hpp"
#include "gmr/node/kernels/copy_rows.hpp"

#include <algorithm>

namespace armci::gmr::kernels {
namespace {

InstructionSet chosen = InstructionSet::portable;
InstructionSet chosen_for_copies = InstructionSet::portable;

InstructionSet set_for(Kernels wanted)
{
    switch (wanted) {
    case Kernels::portable:
        return InstructionSet::portable;
    case Kernels::avx2:
        return InstructionSet::avx2;
    case Kernels::avx512:
        return InstructionSet::avx512;
    case Kernels::automatic:
        break;
    }
    return widest();
}

} // namespace

const char* name_of(InstructionSet set)
{
    static constexpr const char* names[instruction_sets] = {"portable", "avx2", "avx512"};
    return names[static_cast<int>(set)];
}

InstructionSet widest()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return InstructionSet::avx512;
    if (__builtin_cpu_supports("avx2"))
        return InstructionSet::avx2;
#endif
    return InstructionSet::portable;
}

void use(InstructionSet sums, InstructionSet copies)
{
    chosen = sums;
    chosen_for_copies = copies;
    detail::long_copy = long_copy_of(copies);
    detail::rows_of_32 = copy_rows_with<32>(sums);
    detail::rows_of_64 = copy_rows_with<64>(sums);
}

InstructionSet in_use()
{
    return chosen;
}

InstructionSet in_use_for_long_copies()
{
    return chosen_for_copies;
}

void set_policy(const Settings& settings, bool complain)
{
    const InstructionSet most = widest();
    if (settings.kernels == Kernels::automatic) {
        use(most, best_for_long_copies());
        return;
    }
    const auto wanted = set_for(settings.kernels);
    if (wanted > most && complain)
        diag::warn("ARMCI_KERNELS=%s: this processor has no such instructions; ARMCI_KERNELS=%s is used",
                   name_of(wanted), name_of(most));
    use(std::min(wanted, most), std::min(wanted, most));
}

} // namespace armci::gmr::kernels
