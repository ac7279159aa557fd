// Plays operations on the blocks that this rank owns at every target, and holds what it reads against a
// model.
//
// Every operation must find what all earlier ones on its bytes left, whatever forms and paths they took. What
// is pending is completed, in one of the ways the interface has, before an operation that conflicts with it.
#pragma once

#include "tests/litmus/operation.hpp"
#include "tests/rma/region.hpp"

#include <deque>
#include <list>
#include <sstream>

namespace litmus {

enum class Hold { blocking, explicitly, implicitly, in_aggregate };

class Player {
public:
    Player()
        : regions_{armci_test::Region(Block::half * armci_test::size()),
                   armci_test::Region(Block::half * armci_test::size())},
          models_(static_cast<std::size_t>(armci_test::size()), std::vector<std::byte>(Block::bytes)),
          aggregates_(models_.size()), random_(own_generator())
    {
        for (const auto& region : regions_)
            std::fill_n(region.mine(), Block::half * armci_test::size(), std::byte{0});
        for (armci_hdl_t& handle : aggregates_) {
            ARMCI_INIT_HANDLE(&handle);
            ARMCI_SET_AGGREGATE_HANDLE(&handle);
        }
        ARMCI_Barrier();
    }

    Random& random() { return random_; }
    int any_target() { return static_cast<int>(between(random_, 0, armci_test::size() - 1)); }
    long any_place() { return between(random_, 0, Block::bytes - 1); }

    void play(Kind kind, int target, long focus, Hold hold)
    {
        Operation operation(random_, kind, focus);
        complete_conflicts(operation, target);
        note(operation.text() + held(hold) + " target " + std::to_string(target));
        operation.apply(model(target));
        if (hold == Hold::blocking || operation.is_rmw()) {
            operation.issue(block(target), target, false, nullptr);
            expect_right(operation);
            return;
        }
        Pending& pending = pending_.emplace_back(std::move(operation), target, hold);
        ARMCI_INIT_HANDLE(&pending.handle);
        pending.operation.issue(block(target), target, true,
                                hold == Hold::explicitly     ? &pending.handle
                                : hold == Hold::in_aggregate ? &aggregates_[static_cast<std::size_t>(target)]
                                                             : nullptr);
    }

    void complete_some()
    {
        if (!pending_.empty())
            complete(
                *std::next(pending_.begin(), between(random_, 0, static_cast<long>(pending_.size()) - 1)));
    }
    void complete_all()
    {
        while (!pending_.empty())
            complete_some();
    }
    std::size_t pending() const { return pending_.size(); }

    // Completes nothing here, but all at the target.
    void fence()
    {
        const int target = any_target();
        note("fence of " + std::to_string(target));
        switch (random_() % 3) {
        case 0:
            ARMCI_AllFence();
            break;
        default:
            ARMCI_Fence(target);
        }
    }

    // All I wrote, as gets show it, and then as the loads of its owner do.
    void check_everything()
    {
        complete_all();
        for (int target = 0; target < armci_test::size(); ++target)
            for (int half = 0; half < 2; ++half) {
                const auto got = armci_test::fetch(block(target).halves[half], Block::half, target);
                expect_half(got.data(), target, half, "a get");
            }
        ARMCI_Barrier();
        for (int origin = 0; origin < armci_test::size(); ++origin)
            exchange_models(origin);
        ARMCI_Barrier();
    }

    const std::string& trace()
    {
        std::ostringstream text;
        text << "LITMUS_SEED=" << seed() << ", the last steps of this rank:";
        for (const std::string& step : steps_)
            text << "\n  " << step;
        return trace_ = text.str();
    }

private:
    struct Pending {
        Pending(Operation what, int where, Hold how) : operation(std::move(what)), target(where), hold(how) {}
        Operation operation;
        int target;
        Hold hold;
        armci_hdl_t handle{};
    };

    Block block_of(int origin, int target) const
    {
        return {{regions_[0].of(target, Block::half * origin), regions_[1].of(target, Block::half * origin)}};
    }
    Block block(int target) const { return block_of(armci_test::rank(), target); }
    std::vector<std::byte>& model(int target) { return models_[static_cast<std::size_t>(target)]; }

    static std::string held(Hold hold)
    {
        static constexpr const char* texts[] = {", blocking", ", explicit", ", implicit", ", aggregate"};
        return texts[static_cast<int>(hold)];
    }

    void note(std::string step)
    {
        steps_.push_back(std::move(step));
        if (steps_.size() > 24)
            steps_.pop_front();
    }

    void complete_conflicts(const Operation& operation, int target)
    {
        const auto conflicts = [&](const Pending& one) {
            const Operation& other = one.operation;
            const bool commute = (operation.reads() && other.reads()) ||
                                 (operation.accumulates() && operation.kind() == other.kind());
            return one.target == target && !commute && operation.overlaps(other);
        };
        for (auto one = pending_.begin();
             (one = std::find_if(pending_.begin(), pending_.end(), conflicts)) != pending_.end();)
            complete(*one);
    }

    // By any call that promises it; checks and forgets all that it completes.
    void complete(Pending& one)
    {
        const int target = one.target;
        const Hold hold = one.hold;
        armci_hdl_t* const handle =
            hold == Hold::explicitly ? &one.handle : &aggregates_[static_cast<std::size_t>(target)];
        long way = between(random_, hold == Hold::implicitly ? 3 : 0, 5);
        if (way == 2)
            note("fence of " + std::to_string(target)), ARMCI_Fence(target);
        switch (way) {
        case 0:
        case 2:
            note("Wait" + held(hold) + " target " + std::to_string(target));
            ARMCI_Wait(handle);
            break;
        case 1:
            note("Test until done" + held(hold) + " target " + std::to_string(target));
            while (ARMCI_Test(handle) != 0)
                sched_yield();
            break;
        case 3:
        case 4:
            note("WaitProc " + std::to_string(target));
            ARMCI_WaitProc(target);
            break;
        default:
            note("WaitAll");
            ARMCI_WaitAll();
        }
        for (auto other = pending_.begin(); other != pending_.end();) {
            const bool done =
                way == 5 || (way >= 3 && other->target == target) || &*other == &one ||
                (way < 3 && hold == Hold::in_aggregate && other->hold == hold && other->target == target);
            if (!done) {
                ++other;
                continue;
            }
            expect_right(other->operation);
            if (other->hold == Hold::explicitly)
                ARMCI_Wait(&other->handle); // gives it back
            other = pending_.erase(other);
        }
    }

    void expect_right(Operation& operation)
    {
        const std::string wrong = operation.check_and_reuse();
        ASSERT_TRUE(wrong.empty()) << wrong << "\n" << trace();
    }

    void expect_half(const std::byte* got, int target, int half, const char* by)
    {
        const std::byte* const wanted = model(target).data() + Block::half * half;
        const auto place = std::mismatch(wanted, wanted + Block::half, got);
        ASSERT_TRUE(place.first == wanted + Block::half) << "by " << by << ", target " << target << ", place "
                                                         << place.first - wanted + Block::half * half << "\n"
                                                         << trace();
    }

    // The owner of the memory gets the model of each origin, and looks by loads.
    void exchange_models(int origin)
    {
        std::vector<std::byte> wanted(Block::bytes), all;
        if (origin == armci_test::rank())
            for (const auto& one : models_)
                all.insert(all.end(), one.begin(), one.end());
        MPI_Scatter(all.data(), Block::bytes, MPI_BYTE, wanted.data(), Block::bytes, MPI_BYTE, origin,
                    MPI_COMM_WORLD);
        const Block mine = block_of(origin, armci_test::rank());
        for (long place = 0; place < Block::bytes; ++place)
            ASSERT_EQ(*mine.at(place), wanted[static_cast<std::size_t>(place)])
                << "by loads of the owner, written by " << origin << ", place " << place
                << ", LITMUS_SEED=" << seed();
    }

    armci_test::Region regions_[2];
    std::vector<std::vector<std::byte>> models_; // of my block at each target
    std::vector<armci_hdl_t> aggregates_;        // one for each target
    std::list<Pending> pending_;
    Random random_;
    std::deque<std::string> steps_;
    std::string trace_;
};

} // namespace litmus
