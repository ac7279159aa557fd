// Long random mixtures of all operations against a model. Each origin owns a part of every slice of two
// regions, so its model knows every byte; the order of its operations on a target is the order in which the
// model made them.
#include "tests/rma/region.hpp"
#include "tests/rma/strided_case.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <type_traits>

namespace armci_test {
namespace {

constexpr long part = 48 * 1024;

class Player {
public:
    explicit Player(std::uint64_t stream) : random_(rank_generator(stream))
    {
        for (int p = 0; p < size(); ++p)
            for (int r = 0; r < 2; ++r) {
                models_.push_back(pattern_bytes(random_(), part));
                store(models_.back(), address(p, r, 0), p);
            }
    }

    void step()
    {
        target_ = static_cast<int>(below(static_cast<std::uint64_t>(size())));
        region_ = static_cast<int>(below(2));
        nonblocking_ = below(3) == 0;
        switch (below(12)) {
        case 0:
            put();
            break;
        case 1:
            get();
            break;
        case 2:
            accumulate();
            break;
        case 3:
            put_strided();
            break;
        case 4:
            get_strided();
            break;
        case 5:
            accumulate_strided();
            break;
        case 6:
            put_vector();
            break;
        case 7:
            get_vector();
            break;
        case 8:
            accumulate_vector();
            break;
        case 9:
            read_modify_write<int>();
            break;
        case 10:
            read_modify_write<long>();
            break;
        default:
            complete();
            break;
        }
    }

    // Completes everything, and compares all that I own.
    void check()
    {
        complete_all();
        for (int p = 0; p < size(); ++p)
            for (int r = 0; r < 2; ++r)
                ASSERT_TRUE(fetch(address(p, r, 0), part, p) == model(p, r))
                    << "process " << p << ", region " << r;
    }

private:
    using Bytes = std::vector<std::byte>;

    // A nonblocking operation keeps its origin buffer, and a get its answer, until it completes.
    struct Pending {
        armci_hdl_t handle;
        bool is_implicit;
        Bytes buffer, wanted;
    };

    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    Bytes& model(int process, int region) { return models_[static_cast<std::size_t>(2 * process + region)]; }
    Bytes& model() { return model(target_, region_); }
    std::byte* address(int process, int region, long offset) const
    {
        return (region == 0 ? a_ : b_).of(process, part * rank() + offset);
    }
    std::byte* there(long offset) const { return address(target_, region_, offset); }

    // Calls blocking(buffer) or nonblocking(buffer, handle); `buffer` must hold `wanted` on completion.
    template <class Blocking, class Nonblocking>
    void issue(Bytes buffer, Bytes wanted, Blocking blocking, Nonblocking nonblocking)
    {
        if (!nonblocking_) {
            ASSERT_EQ(0, blocking(buffer.data()));
            ASSERT_TRUE(buffer == wanted) << "origin buffer after a blocking call";
            return;
        }
        Pending& entry = pending_.emplace_back();
        entry.buffer = std::move(buffer);
        entry.wanted = std::move(wanted);
        entry.is_implicit = below(2) == 0;
        ARMCI_INIT_HANDLE(&entry.handle);
        ASSERT_EQ(0, nonblocking(entry.buffer.data(), entry.is_implicit ? nullptr : &entry.handle));
        if (pending_.size() > 20)
            complete();
    }

    void complete()
    {
        if (below(4) == 0 || pending_.empty() || pending_.front().is_implicit) {
            complete_all();
            return;
        }
        ASSERT_EQ(0, ARMCI_Wait(&pending_.front().handle));
        ASSERT_TRUE(pending_.front().buffer == pending_.front().wanted) << "origin buffer after Wait";
        pending_.pop_front();
    }
    void complete_all()
    {
        for (Pending& entry : pending_)
            if (!entry.is_implicit) {
                ASSERT_EQ(0, ARMCI_Wait(&entry.handle));
            }
        ASSERT_EQ(0, ARMCI_WaitAll());
        for (Pending& entry : pending_)
            ASSERT_TRUE(entry.buffer == entry.wanted) << "origin buffer after WaitAll";
        pending_.clear();
    }

    long any_size() { return static_cast<long>(below(std::uint64_t{1} << (1 + below(14)))); }

    void put()
    {
        const long bytes = any_size(),
                   at = static_cast<long>(below(static_cast<std::uint64_t>(part - bytes + 1)));
        const Bytes data = pattern_bytes(random_(), static_cast<std::size_t>(bytes));
        std::copy(data.begin(), data.end(), model().begin() + at);
        issue(
            data, data,
            [&](void* from) { return ARMCI_Put(from, there(at), static_cast<int>(bytes), target_); },
            [&](void* from, armci_hdl_t* handle) {
                return ARMCI_NbPut(from, there(at), static_cast<int>(bytes), target_, handle);
            });
    }

    void get()
    {
        const long bytes = any_size(),
                   at = static_cast<long>(below(static_cast<std::uint64_t>(part - bytes + 1)));
        issue(
            Bytes(static_cast<std::size_t>(bytes)), Bytes(model().begin() + at, model().begin() + at + bytes),
            [&](void* to) { return ARMCI_Get(there(at), to, static_cast<int>(bytes), target_); },
            [&](void* to, armci_hdl_t* handle) {
                return ARMCI_NbGet(there(at), to, static_cast<int>(bytes), target_, handle);
            });
    }

    // Integers wrap around, whatever bytes are there.
    void add(long at, const std::byte* terms, long bytes, unsigned scale)
    {
        for (long i = 0; i < bytes; i += static_cast<long>(sizeof scale)) {
            unsigned sum, term;
            std::memcpy(&sum, &model()[static_cast<std::size_t>(at + i)], sizeof sum);
            std::memcpy(&term, terms + i, sizeof term);
            sum += scale * term;
            std::memcpy(&model()[static_cast<std::size_t>(at + i)], &sum, sizeof sum);
        }
    }

    void accumulate()
    {
        const long bytes = any_size() / 4 * 4,
                   at = static_cast<long>(below(static_cast<std::uint64_t>(part - bytes) / 4 + 1)) * 4;
        const Bytes data = pattern_bytes(random_(), static_cast<std::size_t>(bytes));
        int scale = static_cast<int>(below(3)) - 1;
        add(at, data.data(), bytes, static_cast<unsigned>(scale));
        issue(
            data, data,
            [&](void* from) {
                return ARMCI_Acc(ARMCI_ACC_INT, &scale, from, there(at), static_cast<int>(bytes), target_);
            },
            [&](void* from, armci_hdl_t* handle) {
                return ARMCI_NbAcc(ARMCI_ACC_INT, &scale, from, there(at), static_cast<int>(bytes), target_,
                                   handle);
            });
    }

    // A random case; `remote` is where its first segment lies in my part, `local` in a buffer of
    // `local_bytes`.
    StridedCase strided(int unit, const std::vector<int> StridedCase::*remote_side, long& remote, long& local,
                        long& local_bytes)
    {
        StridedCase c = random_case(random_, static_cast<int>(below(5)), unit);
        const auto local_side =
            remote_side == &StridedCase::target ? &StridedCase::source : &StridedCase::target;
        const Span there_span = span_of(c.count, c.*remote_side), here = span_of(c.count, c.*local_side);
        remote =
            there_span.below +
            static_cast<long>(below(static_cast<std::uint64_t>((part - there_span.extent()) / unit + 1))) *
                unit;
        local = here.below;
        local_bytes = here.extent();
        return c;
    }

    void put_strided()
    {
        long remote = 0, local = 0, bytes = 0;
        StridedCase c = strided(1, &StridedCase::target, remote, local, bytes);
        const Bytes data = pattern_bytes(random_(), static_cast<std::size_t>(bytes));
        c.each_segment([&](long from, long to) {
            std::copy_n(data.begin() + local + from, c.count[0], model().begin() + remote + to);
        });
        issue(
            data, data,
            [&](std::byte* from) {
                return ARMCI_PutS(from + local, c.source.data(), there(remote), c.target.data(),
                                  c.count.data(), c.levels(), target_);
            },
            [&](std::byte* from, armci_hdl_t* handle) {
                return ARMCI_NbPutS(from + local, c.source.data(), there(remote), c.target.data(),
                                    c.count.data(), c.levels(), target_, handle);
            });
    }

    void get_strided()
    {
        long remote = 0, local = 0, bytes = 0;
        StridedCase c = strided(1, &StridedCase::source, remote, local, bytes);
        Bytes buffer(static_cast<std::size_t>(bytes), std::byte{0x77}), wanted = buffer;
        c.each_segment([&](long from, long to) {
            std::copy_n(model().begin() + remote + from, c.count[0], wanted.begin() + local + to);
        });
        issue(
            buffer, wanted,
            [&](std::byte* to) {
                return ARMCI_GetS(there(remote), c.source.data(), to + local, c.target.data(), c.count.data(),
                                  c.levels(), target_);
            },
            [&](std::byte* to, armci_hdl_t* handle) {
                return ARMCI_NbGetS(there(remote), c.source.data(), to + local, c.target.data(),
                                    c.count.data(), c.levels(), target_, handle);
            });
    }

    void accumulate_strided()
    {
        long remote = 0, local = 0, bytes = 0;
        StridedCase c = strided(4, &StridedCase::target, remote, local, bytes);
        const Bytes data = pattern_bytes(random_(), static_cast<std::size_t>(bytes));
        int scale = static_cast<int>(below(3));
        c.each_segment([&](long from, long to) {
            add(remote + to, data.data() + local + from, c.count[0], static_cast<unsigned>(scale));
        });
        issue(
            data, data,
            [&](std::byte* from) {
                return ARMCI_AccS(ARMCI_ACC_INT, &scale, from + local, c.source.data(), there(remote),
                                  c.target.data(), c.count.data(), c.levels(), target_);
            },
            [&](std::byte* from, armci_hdl_t* handle) {
                return ARMCI_NbAccS(ARMCI_ACC_INT, &scale, from + local, c.source.data(), there(remote),
                                    c.target.data(), c.count.data(), c.levels(), target_, handle);
            });
    }

    // Segments of equal length over both regions that do not overlap: (region, offset), in random order.
    struct Place {
        int region;
        long offset;
    };
    std::vector<Place> places(long bytes)
    {
        std::vector<Place> result;
        long at = 4 * static_cast<long>(below(100));
        for (std::uint64_t n = below(25); n > 0 && at + bytes <= part; --n) {
            result.push_back({static_cast<int>(below(2)), at});
            at += (bytes + 3) / 4 * 4 + 4 * static_cast<long>(below(50));
        }
        std::shuffle(result.begin(), result.end(), random_);
        return result;
    }

    // The address lists of a vector call: segment i of the buffer goes with place i.
    struct Lists {
        std::vector<void*> remote, local;
    };
    Lists lists(const std::vector<Place>& all, std::byte* buffer, long bytes)
    {
        Lists result;
        for (std::size_t i = 0; i < all.size(); ++i) {
            result.remote.push_back(address(target_, all[i].region, all[i].offset));
            result.local.push_back(buffer + static_cast<long>(i) * bytes);
        }
        return result;
    }

    void put_vector()
    {
        const long bytes = static_cast<long>(below(200));
        const auto all = places(bytes);
        const Bytes data = pattern_bytes(random_(), all.size() * static_cast<std::size_t>(bytes));
        for (std::size_t i = 0; i < all.size(); ++i)
            std::copy_n(data.begin() + static_cast<long>(i) * bytes, bytes,
                        model(target_, all[i].region).begin() + all[i].offset);
        const auto call = [&](std::byte* from, auto act) {
            Lists each = lists(all, from, bytes);
            armci_giov_t segments{each.local.data(), each.remote.data(), static_cast<int>(bytes),
                                  static_cast<int>(all.size())};
            return act(&segments);
        };
        issue(
            data, data,
            [&](std::byte* from) {
                return call(from, [&](armci_giov_t* segments) { return ARMCI_PutV(segments, 1, target_); });
            },
            [&](std::byte* from, armci_hdl_t* handle) {
                return call(
                    from, [&](armci_giov_t* segments) { return ARMCI_NbPutV(segments, 1, target_, handle); });
            });
    }

    void get_vector()
    {
        const long bytes = static_cast<long>(below(200));
        const auto all = places(bytes);
        Bytes buffer(all.size() * static_cast<std::size_t>(bytes)), wanted = buffer;
        for (std::size_t i = 0; i < all.size(); ++i)
            std::copy_n(model(target_, all[i].region).begin() + all[i].offset, bytes,
                        wanted.begin() + static_cast<long>(i) * bytes);
        const auto call = [&](std::byte* to, auto act) {
            Lists each = lists(all, to, bytes);
            armci_giov_t segments{each.remote.data(), each.local.data(), static_cast<int>(bytes),
                                  static_cast<int>(all.size())};
            return act(&segments);
        };
        issue(
            buffer, wanted,
            [&](std::byte* to) {
                return call(to, [&](armci_giov_t* segments) { return ARMCI_GetV(segments, 1, target_); });
            },
            [&](std::byte* to, armci_hdl_t* handle) {
                return call(
                    to, [&](armci_giov_t* segments) { return ARMCI_NbGetV(segments, 1, target_, handle); });
            });
    }

    void accumulate_vector()
    {
        const long bytes = 4 * static_cast<long>(below(50));
        const auto all = places(bytes);
        const Bytes data = pattern_bytes(random_(), all.size() * static_cast<std::size_t>(bytes));
        int scale = static_cast<int>(below(5));
        for (std::size_t i = 0; i < all.size(); ++i) {
            region_ = all[i].region;
            add(all[i].offset, data.data() + static_cast<long>(i) * bytes, bytes,
                static_cast<unsigned>(scale));
        }
        const auto call = [&](std::byte* from, auto act) {
            Lists each = lists(all, from, bytes);
            armci_giov_t segments{each.local.data(), each.remote.data(), static_cast<int>(bytes),
                                  static_cast<int>(all.size())};
            return act(&segments);
        };
        issue(
            data, data,
            [&](std::byte* from) {
                return call(from, [&](armci_giov_t* segments) {
                    return ARMCI_AccV(ARMCI_ACC_INT, &scale, segments, 1, target_);
                });
            },
            [&](std::byte* from, armci_hdl_t* handle) {
                return call(from, [&](armci_giov_t* segments) {
                    return ARMCI_NbAccV(ARMCI_ACC_INT, &scale, segments, 1, target_, handle);
                });
            });
    }

    template <class T>
    void read_modify_write()
    {
        const long at = static_cast<long>(below(part / sizeof(T)) * sizeof(T));
        T old{}, local = static_cast<T>(random_());
        std::memcpy(&old, &model()[static_cast<std::size_t>(at)], sizeof old);
        const bool swap = below(2) == 0;
        const int value = static_cast<int>(below(1000)) - 500;
        constexpr bool is_long = sizeof(T) == sizeof(long);
        const int operation = swap ? (is_long ? ARMCI_SWAP_LONG : ARMCI_SWAP)
                                   : (is_long ? ARMCI_FETCH_AND_ADD_LONG : ARMCI_FETCH_AND_ADD);
        using Unsigned = std::make_unsigned_t<T>;
        const T now =
            swap ? local : static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(value));
        std::memcpy(&model()[static_cast<std::size_t>(at)], &now, sizeof now);
        ASSERT_EQ(0, ARMCI_Rmw(operation, &local, there(at), value, target_));
        ASSERT_EQ(local, old) << "what was there before";
    }

    Region a_{part * size()}, b_{part * size()};
    std::mt19937_64 random_;
    std::vector<Bytes> models_; // two of each process
    std::deque<Pending> pending_;
    int target_ = 0, region_ = 0;
    bool nonblocking_ = false;
};

TEST(Model, random_operations_leave_what_a_serial_program_leaves)
{
    Player player(50);
    for (int step = 1; step <= 20'000 && !testing::Test::HasFatalFailure(); ++step) {
        SCOPED_TRACE(step);
        player.step();
        if (step % 2000 == 0)
            player.check();
    }
}

// The owner's direct loads after a barrier show the same.
TEST(Model, barrier_shows_all_of_it_to_the_owners)
{
    Region region(part * size());
    auto random = rank_generator(51);
    std::vector<std::byte> sent = pattern_bytes(60 + static_cast<std::uint64_t>(rank()), part);
    for (int round = 0; round < 20; ++round) {
        for (int distance = 0; distance < size(); ++distance) {
            const int target = neighbour(distance);
            const auto cut = static_cast<int>(random() % part);
            ASSERT_EQ(0, ARMCI_NbPut(sent.data(), region.of(target, part * rank()), cut, target, nullptr));
            ASSERT_EQ(0, ARMCI_Put(sent.data() + cut, region.of(target, part * rank() + cut),
                                   static_cast<int>(part) - cut, target));
        }
        ARMCI_Barrier();
        for (int p = 0; p < size(); ++p) {
            auto wanted = pattern_bytes(60 + static_cast<std::uint64_t>(p), part);
            for (std::byte& byte : wanted)
                byte ^= static_cast<std::byte>(round);
            ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), region.mine(part * p)))
                << "round " << round << " from " << p;
        }
        for (std::byte& byte : sent)
            byte ^= static_cast<std::byte>(round ^ (round + 1));
        ARMCI_Barrier();
    }
}

} // namespace
} // namespace armci_test
