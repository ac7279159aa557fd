#include "tests/rma/model_operations.hpp"
#include "tests/rma/strided_case.hpp"

#include <algorithm>

namespace armci_test::model {
namespace {

// A random case; `remote` is where its first segment lies in my part, `local` in a buffer of
// `local_bytes`.
StridedCase strided(Model& model, int unit, const std::vector<int> StridedCase::*remote_side, long& remote,
                    long& local, long& local_bytes)
{
    StridedCase c = random_case(model.random(), static_cast<int>(model.below(5)), unit);
    const auto local_side = remote_side == &StridedCase::target ? &StridedCase::source : &StridedCase::target;
    const Span there_span = span_of(c.count, c.*remote_side), here = span_of(c.count, c.*local_side);
    remote = there_span.below + model.any_place(there_span.extent(), unit);
    local = here.below;
    local_bytes = here.extent();
    return c;
}

} // namespace

void put_strided(Model& model)
{
    long remote = 0, local = 0, bytes = 0;
    StridedCase c = strided(model, 1, &StridedCase::target, remote, local, bytes);
    const Bytes data = pattern_bytes(model.random()(), static_cast<std::size_t>(bytes));
    c.each_segment([&](long from, long to) {
        std::copy_n(data.begin() + local + from, c.count[0], model.bytes().begin() + remote + to);
    });
    model.issue(
        data, data,
        [&](std::byte* from) {
            return ARMCI_PutS(from + local, c.source.data(), model.there(remote), c.target.data(),
                              c.count.data(), c.levels(), model.target());
        },
        [&](std::byte* from, armci_hdl_t* handle) {
            return ARMCI_NbPutS(from + local, c.source.data(), model.there(remote), c.target.data(),
                                c.count.data(), c.levels(), model.target(), handle);
        });
}

void get_strided(Model& model)
{
    long remote = 0, local = 0, bytes = 0;
    StridedCase c = strided(model, 1, &StridedCase::source, remote, local, bytes);
    Bytes buffer(static_cast<std::size_t>(bytes), std::byte{0x77}), wanted = buffer;
    c.each_segment([&](long from, long to) {
        std::copy_n(model.bytes().begin() + remote + from, c.count[0], wanted.begin() + local + to);
    });
    model.issue(
        buffer, wanted,
        [&](std::byte* to) {
            return ARMCI_GetS(model.there(remote), c.source.data(), to + local, c.target.data(),
                              c.count.data(), c.levels(), model.target());
        },
        [&](std::byte* to, armci_hdl_t* handle) {
            return ARMCI_NbGetS(model.there(remote), c.source.data(), to + local, c.target.data(),
                                c.count.data(), c.levels(), model.target(), handle);
        });
}

void accumulate_strided(Model& model)
{
    long remote = 0, local = 0, bytes = 0;
    StridedCase c = strided(model, 4, &StridedCase::target, remote, local, bytes);
    const Bytes data = pattern_bytes(model.random()(), static_cast<std::size_t>(bytes));
    int scale = static_cast<int>(model.below(3));
    c.each_segment([&](long from, long to) {
        model.add(remote + to, data.data() + local + from, c.count[0], static_cast<unsigned>(scale));
    });
    model.issue(
        data, data,
        [&](std::byte* from) {
            return ARMCI_AccS(ARMCI_ACC_INT, &scale, from + local, c.source.data(), model.there(remote),
                              c.target.data(), c.count.data(), c.levels(), model.target());
        },
        [&](std::byte* from, armci_hdl_t* handle) {
            return ARMCI_NbAccS(ARMCI_ACC_INT, &scale, from + local, c.source.data(), model.there(remote),
                                c.target.data(), c.count.data(), c.levels(), model.target(), handle);
        });
}

} // namespace armci_test::model
