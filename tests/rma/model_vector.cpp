#include "tests/rma/model_operations.hpp"

#include <algorithm>

namespace armci_test::model {
namespace {

// Segments of equal length over both regions that do not overlap: (region, offset), in random order.
struct Place {
    int region;
    long offset;
};
std::vector<Place> places(Model& model, long bytes)
{
    std::vector<Place> result;
    long at = 4 * static_cast<long>(model.below(100));
    for (std::uint64_t n = model.below(25); n > 0 && at + bytes <= part; --n) {
        result.push_back({static_cast<int>(model.below(2)), at});
        at += (bytes + 3) / 4 * 4 + 4 * static_cast<long>(model.below(50));
    }
    std::shuffle(result.begin(), result.end(), model.random());
    return result;
}

// The address lists of a vector call: segment i of the buffer goes with place i.
struct Lists {
    std::vector<void*> remote, local;
};
Lists lists(const Model& model, const std::vector<Place>& all, std::byte* buffer, long bytes)
{
    Lists result;
    for (std::size_t i = 0; i < all.size(); ++i) {
        result.remote.push_back(model.address(all[i].region, all[i].offset));
        result.local.push_back(buffer + static_cast<long>(i) * bytes);
    }
    return result;
}

} // namespace

void put_vector(Model& model)
{
    const long bytes = static_cast<long>(model.below(200));
    const auto all = places(model, bytes);
    const Bytes data = pattern_bytes(model.random()(), all.size() * static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < all.size(); ++i)
        std::copy_n(data.begin() + static_cast<long>(i) * bytes, bytes,
                    model.bytes(all[i].region).begin() + all[i].offset);
    const auto call = [&](std::byte* from, auto act) {
        Lists each = lists(model, all, from, bytes);
        armci_giov_t segments{each.local.data(), each.remote.data(), static_cast<int>(bytes),
                              static_cast<int>(all.size())};
        return act(&segments);
    };
    model.issue(
        data, data,
        [&](std::byte* from) {
            return call(from,
                        [&](armci_giov_t* segments) { return ARMCI_PutV(segments, 1, model.target()); });
        },
        [&](std::byte* from, armci_hdl_t* handle) {
            return call(from, [&](armci_giov_t* segments) {
                return ARMCI_NbPutV(segments, 1, model.target(), handle);
            });
        });
}

void get_vector(Model& model)
{
    const long bytes = static_cast<long>(model.below(200));
    const auto all = places(model, bytes);
    Bytes buffer(all.size() * static_cast<std::size_t>(bytes)), wanted = buffer;
    for (std::size_t i = 0; i < all.size(); ++i)
        std::copy_n(model.bytes(all[i].region).begin() + all[i].offset, bytes,
                    wanted.begin() + static_cast<long>(i) * bytes);
    const auto call = [&](std::byte* to, auto act) {
        Lists each = lists(model, all, to, bytes);
        armci_giov_t segments{each.remote.data(), each.local.data(), static_cast<int>(bytes),
                              static_cast<int>(all.size())};
        return act(&segments);
    };
    model.issue(
        buffer, wanted,
        [&](std::byte* to) {
            return call(to, [&](armci_giov_t* segments) { return ARMCI_GetV(segments, 1, model.target()); });
        },
        [&](std::byte* to, armci_hdl_t* handle) {
            return call(to, [&](armci_giov_t* segments) {
                return ARMCI_NbGetV(segments, 1, model.target(), handle);
            });
        });
}

void accumulate_vector(Model& model)
{
    const long bytes = 4 * static_cast<long>(model.below(50));
    const auto all = places(model, bytes);
    const Bytes data = pattern_bytes(model.random()(), all.size() * static_cast<std::size_t>(bytes));
    int scale = static_cast<int>(model.below(5));
    for (std::size_t i = 0; i < all.size(); ++i)
        model.add(all[i].region, all[i].offset, data.data() + static_cast<long>(i) * bytes, bytes,
                  static_cast<unsigned>(scale));
    const auto call = [&](std::byte* from, auto act) {
        Lists each = lists(model, all, from, bytes);
        armci_giov_t segments{each.local.data(), each.remote.data(), static_cast<int>(bytes),
                              static_cast<int>(all.size())};
        return act(&segments);
    };
    model.issue(
        data, data,
        [&](std::byte* from) {
            return call(from, [&](armci_giov_t* segments) {
                return ARMCI_AccV(ARMCI_ACC_INT, &scale, segments, 1, model.target());
            });
        },
        [&](std::byte* from, armci_hdl_t* handle) {
            return call(from, [&](armci_giov_t* segments) {
                return ARMCI_NbAccV(ARMCI_ACC_INT, &scale, segments, 1, model.target(), handle);
            });
        });
}

} // namespace armci_test::model
