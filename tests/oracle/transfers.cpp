// Puts, gets and accumulates: each in one of the calls that move the same bytes.
#include "tests/oracle/executor.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace oracle {

namespace {

int accumulate_type(Type type)
{
    constexpr int types[] = {
        -1, ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT, ARMCI_ACC_DBL, ARMCI_ACC_CPL, ARMCI_ACC_DCP};
    return types[static_cast<int>(type)];
}

// The remote and the local side of a transfer as its call takes them.
struct Sides {
    std::byte *there, *here;
    std::vector<int> counts, there_strides, here_strides;
    std::vector<void*> there_pointers, here_pointers;
    std::vector<armci_giov_t> descriptors;

    int levels() const { return static_cast<int>(counts.size()) - 1; }
};

// Segments of equal length that follow one another share a descriptor.
void describe(Sides& sides, const std::vector<int>& lengths, bool gets)
{
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (i == 0 || lengths[i] != lengths[i - 1]) {
            void** const remote = &sides.there_pointers[i];
            void** const local = &sides.here_pointers[i];
            sides.descriptors.push_back({gets ? remote : local, gets ? local : remote, lengths[i], 0});
        }
        ++sides.descriptors.back().ptr_array_len;
    }
}

int put(const Step& step, Sides& s, armci_hdl_t* handle)
{
    const int bytes = static_cast<int>(step.bytes);
    const bool waits = step.how == blocking;
    if (!s.descriptors.empty() || step.is_vector()) {
        const int count = static_cast<int>(s.descriptors.size());
        return waits ? ARMCI_PutV(s.descriptors.data(), count, step.target)
                     : ARMCI_NbPutV(s.descriptors.data(), count, step.target, handle);
    }
    if (!s.counts.empty())
        return waits ? ARMCI_PutS(s.here, s.here_strides.data(), s.there, s.there_strides.data(),
                                  s.counts.data(), s.levels(), step.target)
                     : ARMCI_NbPutS(s.here, s.here_strides.data(), s.there, s.there_strides.data(),
                                    s.counts.data(), s.levels(), step.target, handle);
    return waits ? ARMCI_Put(s.here, s.there, bytes, step.target)
                 : ARMCI_NbPut(s.here, s.there, bytes, step.target, handle);
}

int get(const Step& step, Sides& s, armci_hdl_t* handle)
{
    const int bytes = static_cast<int>(step.bytes);
    const bool waits = step.how == blocking;
    if (!s.descriptors.empty() || step.is_vector()) {
        const int count = static_cast<int>(s.descriptors.size());
        return waits ? ARMCI_GetV(s.descriptors.data(), count, step.target)
                     : ARMCI_NbGetV(s.descriptors.data(), count, step.target, handle);
    }
    if (!s.counts.empty())
        return waits ? ARMCI_GetS(s.there, s.there_strides.data(), s.here, s.here_strides.data(),
                                  s.counts.data(), s.levels(), step.target)
                     : ARMCI_NbGetS(s.there, s.there_strides.data(), s.here, s.here_strides.data(),
                                    s.counts.data(), s.levels(), step.target, handle);
    return waits ? ARMCI_Get(s.there, s.here, bytes, step.target)
                 : ARMCI_NbGet(s.there, s.here, bytes, step.target, handle);
}

int accumulate(const Step& step, Sides& s, armci_hdl_t* handle)
{
    const int bytes = static_cast<int>(step.bytes), type = accumulate_type(step.type);
    const bool waits = step.how == blocking;
    Bytes scale = scale_of(step.type, step.value);
    if (!s.descriptors.empty() || step.is_vector()) {
        const int count = static_cast<int>(s.descriptors.size());
        return waits ? ARMCI_AccV(type, scale.data(), s.descriptors.data(), count, step.target)
                     : ARMCI_NbAccV(type, scale.data(), s.descriptors.data(), count, step.target, handle);
    }
    if (!s.counts.empty())
        return waits ? ARMCI_AccS(type, scale.data(), s.here, s.here_strides.data(), s.there,
                                  s.there_strides.data(), s.counts.data(), s.levels(), step.target)
                     : ARMCI_NbAccS(type, scale.data(), s.here, s.here_strides.data(), s.there,
                                    s.there_strides.data(), s.counts.data(), s.levels(), step.target, handle);
    return waits ? ARMCI_Acc(type, scale.data(), s.here, s.there, bytes, step.target)
                 : ARMCI_NbAcc(type, scale.data(), s.here, s.there, bytes, step.target, handle);
}

// One element by value, where the step is one. Returns whether it was.
template <class T, class Put, class NbPut, class Get>
bool value_as(const Step& step, Sides& s, armci_hdl_t* handle, Put put_value, NbPut nb_put_value,
              Get get_value)
{
    T value;
    if (step.verb == Verb::put) {
        std::memcpy(&value, s.here, sizeof value);
        if (step.how == blocking)
            put_value(value, s.there, step.target);
        else
            nb_put_value(value, s.there, step.target, handle);
    } else {
        if (step.how != blocking)
            return false;
        value = get_value(s.there, step.target);
        std::memcpy(s.here, &value, sizeof value);
    }
    return true;
}

bool is_by_value(const Step& step, Sides& s, armci_hdl_t* handle)
{
    if (step.variant < 6 || step.verb == Verb::acc || !s.counts.empty() || !s.descriptors.empty() ||
        step.bytes != element_bytes(step.type) ||
        reinterpret_cast<std::uintptr_t>(s.there) % static_cast<std::uintptr_t>(step.bytes) != 0)
        return false;
    switch (step.type) {
    case Type::integer:
        return value_as<int>(step, s, handle, ARMCI_PutValueInt, ARMCI_NbPutValueInt, ARMCI_GetValueInt);
    case Type::whole:
        return value_as<long>(step, s, handle, ARMCI_PutValueLong, ARMCI_NbPutValueLong, ARMCI_GetValueLong);
    case Type::single:
        return value_as<float>(step, s, handle, ARMCI_PutValueFloat, ARMCI_NbPutValueFloat,
                               ARMCI_GetValueFloat);
    case Type::real:
        return value_as<double>(step, s, handle, ARMCI_PutValueDouble, ARMCI_NbPutValueDouble,
                                ARMCI_GetValueDouble);
    default:
        return false;
    }
}

} // namespace

void Executor::transfer(int index)
{
    const Step& step = step_at(index);
    Task& task = tasks_.at(index);
    if (step.origin >= 0)
        task.buffer = address(step.origin, me_, step.origin_at);
    Sides sides{address(step.region, step.target, step.at),
                task.buffer + step.from,
                ints(step.counts),
                ints(step.there),
                ints(step.here),
                {},
                {},
                {}};
    std::vector<int> lengths = ints(step.lengths);
    if (step.is_vector()) {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const int region = step.regions.empty() ? step.region : static_cast<int>(step.regions[i]);
            sides.there_pointers.push_back(address(region, step.target, step.there[i]));
            sides.here_pointers.push_back(task.buffer + step.here[i]);
        }
        describe(sides, lengths, step.verb == Verb::get);
    } else if (!step.is_strided() && step.variant / 2 == 1) { // as a strided call without levels
        sides.counts = {static_cast<int>(step.bytes)};
        sides.there_strides = sides.here_strides = {0};
    } else if (!step.is_strided() && step.variant / 2 == 2) { // as a vector of one
        lengths = {static_cast<int>(step.bytes)};
        sides.there_pointers = {sides.there};
        sides.here_pointers = {sides.here};
        describe(sides, lengths, step.verb == Verb::get);
    }
    const auto thread = static_cast<std::size_t>(step.actor % program_.threads);
    armci_hdl_t* const handle =
        step.how >= 0 ? &handles_[thread][static_cast<std::size_t>(step.how)] : nullptr;
    int failed = 0;
    if (step.toggles != 0)
        ARMCI_UNSET_AGGREGATE_HANDLE(handle);
    for (long again = 1; again < step.times && failed == 0; ++again, ++operations_)
        failed = accumulate(step, sides, handle);
    if (failed == 0 && !is_by_value(step, sides, handle))
        failed = step.verb == Verb::put   ? put(step, sides, handle)
                 : step.verb == Verb::get ? get(step, sides, handle)
                                          : accumulate(step, sides, handle);
    if (step.toggles != 0)
        ARMCI_SET_AGGREGATE_HANDLE(handle);
    if (failed != 0)
        report(index, "returned " + std::to_string(failed));
    // Arrays that describe a transfer may be reused at once.
    std::fill(sides.there_pointers.begin(), sides.there_pointers.end(), nullptr);
    std::fill(sides.here_pointers.begin(), sides.here_pointers.end(), nullptr);
    std::fill(sides.counts.begin(), sides.counts.end(), -1);
    std::fill(sides.there_strides.begin(), sides.there_strides.end(), -1);
    std::fill(sides.here_strides.begin(), sides.here_strides.end(), -1);
    if (step.how != blocking)
        return;
    look(index);
    // A source may be used again.
    if (step.verb != Verb::get && step.origin < 0)
        std::memset(task.buffer, 0x77, task.expected.before.size());
}

} // namespace oracle
