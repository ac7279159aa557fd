#include "armci/api.hpp"

#include "armci/base/diagnostics.hpp"
#include "gmr/memory/miss.hpp"

#include <optional>

using namespace armci;

namespace {

bool known_domain(const char* call, armci_domain_t domain)
{
    if (domain == ARMCI_DOMAIN_SMP)
        return true;
    diag::reject(call, "domain is %d; the only kind is %d (ARMCI_DOMAIN_SMP)", domain, ARMCI_DOMAIN_SMP);
    return false;
}

// The members of a node, of mine for a negative id; nothing after a report.
std::optional<NodeMembers> members_of(const char* call, const Runtime& runtime, armci_domain_t domain, int id)
{
    if (!known_domain(call, domain))
        return std::nullopt;
    const Topology& topology = runtime.topology();
    if (id < topology.nodes())
        return topology.members(id < 0 ? topology.my_node() : id);
    diag::reject(call, "domain id is %d; it must be 0 to %d, or negative for the caller's own", id,
                 topology.nodes() - 1);
    return std::nullopt;
}

} // namespace

extern "C" {

int armci_domain_nprocs(armci_domain_t domain, int id)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_domain_nprocs", 0);
    const std::optional<NodeMembers> members = members_of("armci_domain_nprocs", *runtime, domain, id);
    return members ? static_cast<int>(members->size()) : 0;
}

int armci_domain_id(armci_domain_t domain, int proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_domain_id", -1);
    if (!known_domain("armci_domain_id", domain) || gmr::check_process("armci_domain_id", proc) != 0)
        return -1;
    return runtime->topology().node_of(proc);
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_domain_glob_proc_id", -1);
    const std::optional<NodeMembers> members = members_of("armci_domain_glob_proc_id", *runtime, domain, id);
    if (!members)
        return -1;
    if (local_proc >= 0 && local_proc < static_cast<int>(members->size()))
        return (*members)[static_cast<std::size_t>(local_proc)];
    diag::reject("armci_domain_glob_proc_id", "process %d of the domain does not exist; it must be 0 to %zu",
                 local_proc, members->size() - 1);
    return -1;
}

int armci_domain_my_id(armci_domain_t domain)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_domain_my_id", -1);
    return known_domain("armci_domain_my_id", domain) ? runtime->topology().my_node() : -1;
}

int armci_domain_count(armci_domain_t domain)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_domain_count", 0);
    return known_domain("armci_domain_count", domain) ? runtime->topology().nodes() : 0;
}

int armci_domain_same_id(armci_domain_t domain, int proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "armci_domain_same_id", 0);
    if (!known_domain("armci_domain_same_id", domain) ||
        gmr::check_process("armci_domain_same_id", proc) != 0)
        return 0;
    return runtime->topology().same_node(proc) ? 1 : 0;
}

int PARMCI_Same_node(int proc)
{
    ARMCI_RUNTIME_OR_RETURN(runtime, "ARMCI_Same_node", 0);
    return gmr::check_process("ARMCI_Same_node", proc) == 0 && runtime->topology().same_node(proc) ? 1 : 0;
}

} // extern "C"

ARMCI_WEAK_ALIAS(ARMCI_Same_node, PARMCI_Same_node);
