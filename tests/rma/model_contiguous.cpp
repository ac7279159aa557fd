#include "tests/rma/model_operations.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace armci_test::model {
namespace {

long any_size(Model& model)
{
    return static_cast<long>(model.below(std::uint64_t{1} << (1 + model.below(14))));
}

template <class T>
void read_modify_write(Model& model)
{
    const long at = static_cast<long>(model.below(part / sizeof(T)) * sizeof(T));
    T old{}, local = static_cast<T>(model.random()());
    std::memcpy(&old, &model.bytes()[static_cast<std::size_t>(at)], sizeof old);
    const bool swap = model.below(2) == 0;
    const int value = static_cast<int>(model.below(1000)) - 500;
    constexpr bool is_long = sizeof(T) == sizeof(long);
    const int operation = swap ? (is_long ? ARMCI_SWAP_LONG : ARMCI_SWAP)
                               : (is_long ? ARMCI_FETCH_AND_ADD_LONG : ARMCI_FETCH_AND_ADD);
    using Unsigned = std::make_unsigned_t<T>;
    const T now = swap ? local : static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(value));
    std::memcpy(&model.bytes()[static_cast<std::size_t>(at)], &now, sizeof now);
    ASSERT_EQ(0, ARMCI_Rmw(operation, &local, model.there(at), value, model.target()));
    ASSERT_EQ(local, old) << "what was there before";
}

} // namespace

void put(Model& model)
{
    const long bytes = any_size(model), at = model.any_place(bytes);
    const Bytes data = pattern_bytes(model.random()(), static_cast<std::size_t>(bytes));
    std::copy(data.begin(), data.end(), model.bytes().begin() + at);
    model.issue(
        data, data,
        [&](void* from) { return ARMCI_Put(from, model.there(at), static_cast<int>(bytes), model.target()); },
        [&](void* from, armci_hdl_t* handle) {
            return ARMCI_NbPut(from, model.there(at), static_cast<int>(bytes), model.target(), handle);
        });
}

void get(Model& model)
{
    const long bytes = any_size(model), at = model.any_place(bytes);
    model.issue(
        Bytes(static_cast<std::size_t>(bytes)),
        Bytes(model.bytes().begin() + at, model.bytes().begin() + at + bytes),
        [&](void* to) { return ARMCI_Get(model.there(at), to, static_cast<int>(bytes), model.target()); },
        [&](void* to, armci_hdl_t* handle) {
            return ARMCI_NbGet(model.there(at), to, static_cast<int>(bytes), model.target(), handle);
        });
}

void accumulate(Model& model)
{
    const long bytes = any_size(model) / 4 * 4, at = model.any_place(bytes, 4);
    const Bytes data = pattern_bytes(model.random()(), static_cast<std::size_t>(bytes));
    int scale = static_cast<int>(model.below(3)) - 1;
    model.add(at, data.data(), bytes, static_cast<unsigned>(scale));
    model.issue(
        data, data,
        [&](void* from) {
            return ARMCI_Acc(ARMCI_ACC_INT, &scale, from, model.there(at), static_cast<int>(bytes),
                             model.target());
        },
        [&](void* from, armci_hdl_t* handle) {
            return ARMCI_NbAcc(ARMCI_ACC_INT, &scale, from, model.there(at), static_cast<int>(bytes),
                               model.target(), handle);
        });
}

void read_modify_write_int(Model& model)
{
    read_modify_write<int>(model);
}

void read_modify_write_long(Model& model)
{
    read_modify_write<long>(model);
}

} // namespace armci_test::model
