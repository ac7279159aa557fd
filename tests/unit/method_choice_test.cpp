// Which way a strided or vector call takes over the network: by the rule, and by cost models among what is
// legal. Nothing is sent.
#include "armci/base/cost_model.hpp"
#include "gmr/network/rma.hpp"
#include "iov/methods.hpp"
#include "strided/methods.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace armci_test {
namespace {

using armci::IovMethod;
using armci::Settings;
using armci::StridedMethod;
namespace cost = armci::cost;
namespace gmr = armci::gmr;
namespace iov = armci::iov;
namespace strided = armci::strided;
using iov::Kind;
using strided::Method;

const bool types = gmr::rma::joins_blocks(); // not on Open MPI 4

constexpr std::array strided_methods{cost::Method::iov, cost::Method::direct, cost::Method::packed,
                                     cost::Method::segments, cost::Method::spans};
constexpr std::array vector_methods{cost::Method::conservative, cost::Method::batched, cost::Method::direct};
constexpr std::array operations{cost::Operation::put, cost::Operation::get, cost::Operation::accumulate};

// Every method of every operation takes 2 us on both paths, but for `cheap`, which takes 1.
std::vector<cost::Model> all_but(cost::Call call, cost::Method cheap, std::uint64_t from = 0,
                                 std::uint64_t to = UINT64_MAX)
{
    std::vector<cost::Model> models;
    const auto add = [&](cost::Method method) {
        for (const auto operation : operations)
            for (const auto path : {cost::Path::network, cost::Path::mpi})
                models.push_back(
                    {call, operation, path, method, false, from, to, method == cheap ? 1.0 : 2.0, 0, 0});
    };
    if (call == cost::Call::strided)
        for (const auto method : strided_methods)
            add(method);
    else
        for (const auto method : vector_methods)
            add(method);
    return models;
}

// Of near segments, with nothing asked for.
Method rule_of(Kind kind)
{
    if (types)
        return Method::direct;
    return kind == Kind::get ? Method::spans : Method::segments;
}

class Choice : public testing::Test {
protected:
    Choice() { set(StridedMethod::automatic, IovMethod::automatic); }
    ~Choice() override
    {
        set(StridedMethod::automatic, IovMethod::automatic);
        cost::use({});
    }

    static void set(StridedMethod for_strided, IovMethod for_vector)
    {
        Settings settings;
        settings.strided_method = for_strided;
        settings.iov_method = for_vector;
        strided::set_policy(settings);
        iov::set_policy(settings);
    }
};

class StridedChoice : public Choice {
protected:
    // Eight segments, whole doubles.
    Method choose(Kind kind, std::int64_t segment, std::int64_t apart)
    {
        const strided::Request request{"test", nullptr, nullptr, nullptr, nullptr, nullptr, 1, 1, issue};
        strided::Shape shape;
        shape.segment = segment;
        shape.levels = 1;
        shape.level[0] = {8, segment, apart};
        gmr::Accumulation accumulation;
        EXPECT_EQ(0, gmr::Accumulation::prepare("test", ARMCI_ACC_DBL, &scale, accumulation));
        gmr::Target reach;
        reach.on_my_node = on_my_node;
        return strided::choose_method({request, shape, kind, reach, static_cast<std::uint64_t>(8 * apart), 0,
                                       nullptr, on_itself, &accumulation, &scale});
    }
    Method choose(Kind kind, std::int64_t segment = 1024) { return choose(kind, segment, 2 * segment); }
    Method choose_overlapping(Kind kind) { return choose(kind, 1024, 512); }

    void prefer(cost::Method cheap) { cost::use(all_but(cost::Call::strided, cheap)); }

    armci_hdl_t handle{};
    gmr::Issue issue;
    double scale = 1;
    bool on_itself = false;
    bool on_my_node = false;
};

TEST_F(StridedChoice, by_rule_without_models)
{
    for (const Kind kind : {Kind::put, Kind::get, Kind::accumulate}) {
        EXPECT_EQ(choose(kind), rule_of(kind));
        EXPECT_EQ(choose(kind, 64 * 1024), types ? Method::segments : rule_of(kind));
    }
    EXPECT_EQ(choose_overlapping(Kind::put), Method::iov);
    EXPECT_EQ(choose_overlapping(Kind::accumulate), Method::segments);
    scale = 2;
    EXPECT_EQ(choose(Kind::accumulate), types ? Method::packed : Method::segments);
    issue = gmr::Issue::nonblocking(&handle);
    EXPECT_EQ(choose(Kind::put), types ? Method::packed : Method::segments);
    EXPECT_EQ(choose(Kind::get), rule_of(Kind::get));
    handle.aggregate = 1;
    EXPECT_EQ(choose(Kind::get), types ? Method::segments : Method::spans) << "the handle joins them";
}

TEST_F(StridedChoice, segments_may_be_asked_for)
{
    set(StridedMethod::segments, IovMethod::automatic);
    for (const Kind kind : {Kind::put, Kind::get, Kind::accumulate})
        EXPECT_EQ(choose(kind), Method::segments);
    EXPECT_EQ(choose_overlapping(Kind::put), Method::iov) << "order is kept all the same";
    EXPECT_EQ(choose_overlapping(Kind::accumulate), Method::segments);
}

TEST_F(StridedChoice, spans_may_be_asked_for_and_are_gets)
{
    set(StridedMethod::spans, IovMethod::automatic);
    EXPECT_EQ(choose(Kind::get), Method::spans);
    EXPECT_EQ(choose(Kind::put), Method::segments);
    EXPECT_EQ(choose(Kind::accumulate), Method::segments);
}

TEST_F(StridedChoice, is_the_cheapest_legal_one)
{
    for (const Kind kind : {Kind::put, Kind::get, Kind::accumulate})
        for (const bool near : {false, true}) {
            on_my_node = near;
            prefer(cost::Method::segments);
            EXPECT_EQ(choose(kind), Method::segments);
            prefer(cost::Method::iov);
            EXPECT_EQ(choose(kind), Method::iov);
            prefer(cost::Method::direct);
            EXPECT_EQ(choose(kind), rule_of(kind)) << "direct, where it is legal";
            EXPECT_EQ(choose(kind, 64 * 1024), rule_of(kind)) << "32 KiB is the rule's";
            prefer(cost::Method::packed);
            EXPECT_EQ(choose(kind), types && kind != Kind::get ? Method::packed : rule_of(kind))
                << "gets pack nothing";
            prefer(cost::Method::spans);
            EXPECT_EQ(choose(kind), kind == Kind::get ? Method::spans : rule_of(kind)) << "only gets";
        }
}

TEST_F(StridedChoice, of_what_writes_a_byte_twice_is_iov_whatever_the_costs)
{
    for (const auto cheap : strided_methods) {
        prefer(cheap);
        EXPECT_EQ(choose_overlapping(Kind::put), Method::iov);
        EXPECT_EQ(choose_overlapping(Kind::get), Method::iov);
        EXPECT_EQ(choose_overlapping(Kind::accumulate),
                  cheap == cost::Method::iov ? Method::iov : Method::segments);
    }
}

TEST_F(StridedChoice, of_writes_with_a_handle_or_a_scale_is_never_direct)
{
    prefer(cost::Method::direct);
    scale = 2;
    EXPECT_EQ(choose(Kind::accumulate), types ? Method::packed : Method::segments);
    scale = 1;
    issue = gmr::Issue::nonblocking(&handle);
    for (const Kind kind : {Kind::put, Kind::accumulate})
        EXPECT_EQ(choose(kind), types ? Method::packed : Method::segments);
    EXPECT_EQ(choose(Kind::get), rule_of(Kind::get));
    EXPECT_EQ(choose(Kind::put, 512 * 1024), Method::segments) << "more than a piece";
}

TEST_F(StridedChoice, on_itself_goes_by_no_costs)
{
    on_itself = true;
    for (const auto cheap : strided_methods) {
        prefer(cheap);
        EXPECT_EQ(choose(Kind::put), types ? Method::packed : Method::one_by_one);
        EXPECT_EQ(choose(Kind::get), Method::one_by_one);
    }
}

TEST_F(StridedChoice, what_was_asked_for_goes_before_costs)
{
    prefer(cost::Method::segments);
    set(StridedMethod::iov, IovMethod::automatic);
    EXPECT_EQ(choose(Kind::put), Method::iov);
    set(StridedMethod::direct, IovMethod::automatic);
    EXPECT_EQ(choose(Kind::put), types ? Method::direct : Method::segments);
    set(StridedMethod::segments, IovMethod::automatic);
    prefer(cost::Method::iov);
    EXPECT_EQ(choose(Kind::put), Method::segments);
}

TEST_F(StridedChoice, differs_by_range)
{
    auto models = all_but(cost::Call::strided, cost::Method::segments, 0, 4096);
    for (const cost::Model& m : all_but(cost::Call::strided, cost::Method::iov, 4096, 100'000))
        models.push_back(m);
    cost::use(models);
    EXPECT_EQ(choose(Kind::put, 504), Method::segments);
    EXPECT_EQ(choose(Kind::put, 512), Method::iov) << "eight times 512 bytes";
    EXPECT_EQ(choose(Kind::put, 16 * 1024), types ? Method::direct : Method::segments)
        << "the rule's, beyond";
}

TEST_F(StridedChoice, stays_where_the_rules_has_no_model)
{
    const auto only = [](cost::Method method, cost::Path path) {
        return std::vector<cost::Model>{
            {cost::Call::strided, cost::Operation::put, path, method, false, 0, UINT64_MAX, 1, 0, 0}};
    };
    const Method rule = choose(Kind::put);
    cost::use(only(cost::Method::iov, cost::Path::network));
    EXPECT_EQ(choose(Kind::put), rule);
    cost::use(all_but(cost::Call::vector, cost::Method::batched));
    EXPECT_EQ(choose(Kind::put), rule);
}

TEST_F(StridedChoice, of_a_path_is_by_its_own_models)
{
    auto models = all_but(cost::Call::strided, cost::Method::iov);
    std::erase_if(models, [](const cost::Model& m) { return m.path == cost::Path::mpi; });
    cost::use(models);
    EXPECT_EQ(choose(Kind::put), Method::iov);
    on_my_node = true;
    EXPECT_EQ(choose(Kind::put), types ? Method::direct : Method::segments);
}

class VectorChoice : public Choice {
protected:
    static constexpr int count = 8;
    static constexpr int bytes = 256;

    VectorChoice()
    {
        for (int i = 0; i < count; ++i) {
            here[static_cast<std::size_t>(i)] = mine.data() + i * bytes;
            there[static_cast<std::size_t>(i)] = theirs.data() + 2 * i * bytes;
        }
    }

    IovMethod choose(Kind kind)
    {
        const iov::Descriptor one = kind == Kind::get
                                        ? iov::Descriptor{there.data(), here.data(), bytes, count}
                                        : iov::Descriptor{here.data(), there.data(), bytes, count};
        const iov::Request request{"test", kind, {&one, 1}, 1, issue};
        iov::Survey survey;
        survey.segments = count;
        survey.bytes = static_cast<std::uint64_t>(count) * bytes;
        survey.longest = bytes;
        survey.at_hand = false;
        survey.ascending = false;
        survey.one_window = one_window;
        survey.one_type = one_type;
        survey.lowest_address = theirs.data();
        survey.extent = theirs.size();
        IovMethod method = IovMethod::automatic;
        EXPECT_EQ(0, iov::choose_method(request, survey, method));
        return method;
    }
    void prefer(cost::Method cheap) { cost::use(all_but(cost::Call::vector, cheap)); }
    void overlap()
    {
        there[3] = there[2];
        here[3] = here[2];
    }

    std::vector<std::byte> mine = std::vector<std::byte>(static_cast<std::size_t>(count) * bytes);
    std::vector<std::byte> theirs = std::vector<std::byte>(std::size_t{2} * count * bytes);
    std::array<void*, count> here{};
    std::array<void*, count> there{};
    armci_hdl_t handle{};
    gmr::Issue issue;
    bool one_window = true;
    bool one_type = true;
};

TEST_F(VectorChoice, is_the_cheapest_legal_one)
{
    const IovMethod rule = types ? IovMethod::direct : IovMethod::batched;
    for (const Kind kind : {Kind::put, Kind::get, Kind::accumulate}) {
        cost::use({});
        EXPECT_EQ(choose(kind), rule);
        prefer(cost::Method::direct);
        EXPECT_EQ(choose(kind), rule);
        prefer(cost::Method::batched);
        EXPECT_EQ(choose(kind), IovMethod::batched);
        prefer(cost::Method::conservative);
        EXPECT_EQ(choose(kind), IovMethod::conservative);
    }
}

TEST_F(VectorChoice, keeps_what_overlaps_in_order_whatever_the_costs)
{
    overlap();
    for (const auto cheap : vector_methods) {
        prefer(cheap);
        EXPECT_EQ(choose(Kind::put), IovMethod::conservative);
        EXPECT_EQ(choose(Kind::get), IovMethod::conservative);
        // In any order, and direct parts them.
        EXPECT_EQ(choose(Kind::accumulate), cheap == cost::Method::conservative      ? IovMethod::conservative
                                            : cheap == cost::Method::direct && types ? IovMethod::direct
                                                                                     : IovMethod::batched);
    }
}

TEST_F(VectorChoice, is_conservative_in_several_windows_and_for_aggregate_handles)
{
    prefer(cost::Method::batched);
    one_window = false;
    EXPECT_EQ(choose(Kind::put), IovMethod::conservative);
    one_window = true;
    handle.aggregate = 1;
    issue = gmr::Issue::nonblocking(&handle);
    EXPECT_EQ(choose(Kind::put), IovMethod::conservative);
}

TEST_F(VectorChoice, is_no_one_type_over_memory_attached_apart)
{
    prefer(cost::Method::direct);
    one_type = false;
    for (const Kind kind : {Kind::put, Kind::get, Kind::accumulate})
        EXPECT_EQ(choose(kind), IovMethod::batched);
}

TEST_F(VectorChoice, may_be_direct_with_a_handle)
{
    prefer(cost::Method::direct);
    issue = gmr::Issue::nonblocking(&handle);
    for (const Kind kind : {Kind::put, Kind::get, Kind::accumulate})
        EXPECT_EQ(choose(kind), types ? IovMethod::direct : IovMethod::batched);
}

TEST_F(VectorChoice, is_what_was_asked_for)
{
    prefer(cost::Method::batched);
    set(StridedMethod::automatic, IovMethod::conservative);
    EXPECT_EQ(choose(Kind::put), IovMethod::conservative);
    set(StridedMethod::automatic, IovMethod::direct);
    EXPECT_EQ(choose(Kind::put), types ? IovMethod::direct : IovMethod::batched);
    prefer(cost::Method::conservative);
    set(StridedMethod::automatic, IovMethod::batched);
    EXPECT_EQ(choose(Kind::put), IovMethod::batched);
}

} // namespace
} // namespace armci_test
