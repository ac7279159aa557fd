#include "armci/service/ucx_owner.hpp"

#include "armci/base/mpi_setup.hpp"
#include "armci/base/mpi_traits.hpp"

#include <link.h>

#include <cstddef>
#include <cstring>

namespace armci {
namespace {

// The text of the assertion is in the library's constants.
constexpr char assertion[] = "ucs_async_check_owner_thread";

int has_assertion(dl_phdr_info* object, std::size_t /*size*/, void* /*nothing*/)
{
    if (std::strstr(object->dlpi_name, "/libucp.so") == nullptr)
        return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0 || (segment.p_flags & PF_W) != 0)
            continue;
        const auto* const begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
        if (memmem(begin, segment.p_filesz, assertion, sizeof assertion - 1) != nullptr)
            return 1;
    }
    return 0;
}

} // namespace

bool ucx_wants_one_thread()
{
    const bool over_ucx =
        traits::in_use.component == traits::Component::openmpi_ucx || setup::takes_ucx_for_messages();
    return over_ucx && dl_iterate_phdr(has_assertion, nullptr) != 0;
}

} // namespace armci
