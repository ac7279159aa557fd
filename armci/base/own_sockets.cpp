#include "armci/base/own_sockets.hpp"

#include <mutex>
#include <unordered_set>

namespace armci::own_sockets {
namespace {

std::mutex guard;
std::unordered_set<int>& all()
{
    static auto* const descriptors = new std::unordered_set<int>; // threads may outlive static objects
    return *descriptors;
}

} // namespace

void add(int descriptor)
{
    const std::lock_guard lock(guard);
    all().insert(descriptor);
}

void remove(int descriptor)
{
    const std::lock_guard lock(guard);
    all().erase(descriptor);
}

bool contains(int descriptor)
{
    const std::lock_guard lock(guard);
    return all().contains(descriptor);
}

} // namespace armci::own_sockets
