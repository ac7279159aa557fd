// The steps of one process, or of two, but for transfers: words, sections, and what hands a block over.
#include "tests/oracle/executor.hpp"

#include <message.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sched.h>

namespace oracle {

namespace {

// No call, as a program that computes.
void compute(long microseconds)
{
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
         std::chrono::steady_clock::now() < end;) {
    }
}

} // namespace

void Executor::carry_out(int index)
{
    const Step& step = step_at(index);
    ++operations_;
    switch (step.verb) {
    case Verb::put:
    case Verb::get:
    case Verb::acc:
        return transfer(index);
    case Verb::flagged:
        return flagged(index);
    case Verb::rmw:
        return rmw(index);
    case Verb::store:
    case Verb::load:
        return direct(index);
    case Verb::section:
        return section(index);
    case Verb::pass:
        return pass(index);
    case Verb::message:
        return message(index);
    case Verb::copy:
        return copy(index);
    case Verb::compute:
        --operations_;
        return compute(step.value);
    case Verb::progress:
        return ARMCIX_Progress();
    default:
        return complete(index);
    }
}

void Executor::flagged(int index)
{
    const Step& step = step_at(index);
    auto* const flag = reinterpret_cast<int*>(address(step.flag_region, step.target, step.flag_at));
    const int value = static_cast<int>(step.value);
    Task& task = tasks_.at(index);
    if (process_of(step.actor) == me_) {
        std::byte* const there = address(step.region, step.target, step.at);
        std::byte* const here = task.buffer + step.from;
        const int bytes = static_cast<int>(step.bytes);
        std::vector<int> counts = ints(step.counts), far = ints(step.there), near = ints(step.here);
        if (step.is_strided())
            (step.variant / 2 == 1 ? ARMCI_PutS_flag_dir : ARMCI_PutS_flag)(
                here, near.data(), there, far.data(), counts.data(), static_cast<int>(counts.size()) - 1,
                flag, value, step.target);
        else
            ARMCI_Put_flag(here, there, bytes, flag, value, step.target);
        return look(index);
    }
    // By loads, or by calls.
    for (long polls = 0; (step.variant / 2 == 1 ? ARMCI_GetValueInt(flag, me_)
                                                : __atomic_load_n(flag, __ATOMIC_ACQUIRE)) != value;
         ++polls) {
        ARMCIX_Progress();
        if (polls % 64 == 63)
            sched_yield();
    }
    const DirectAccess access(*this, address(step.region, me_, step.at));
    for (const Segment& s : segments_of(step)) {
        const std::byte* const there = address(s.region, me_, s.there);
        for (long i = 0; i < s.bytes; ++i)
            if (const std::byte wanted = task.expected.before[static_cast<std::size_t>(s.here + i)];
                there[i] != wanted)
                return report(index, "the flag came before the data: byte " + std::to_string(s.there + i) +
                                         " is " + std::to_string(std::to_integer<int>(there[i])) + ", not " +
                                         std::to_string(std::to_integer<int>(wanted)));
    }
}

void Executor::rmw(int index)
{
    const Step& step = step_at(index);
    const bool is_long = step.op == ARMCI_FETCH_AND_ADD_LONG || step.op == ARMCI_SWAP_LONG;
    const bool swaps = step.op == ARMCI_SWAP || step.op == ARMCI_SWAP_LONG;
    long wide = step.value;
    int narrow = static_cast<int>(step.value);
    if (ARMCI_Rmw(step.op, is_long ? static_cast<void*>(&wide) : &narrow,
                  address(step.region, step.target, step.at), swaps ? 0 : static_cast<int>(step.value),
                  step.target) != 0)
        report(index, "refused");
    const long old = is_long ? wide : narrow;
    const Bytes& wanted = tasks_.at(index).expected.after;
    if (wanted.empty())
        return note(index, old);
    long exact = 0;
    std::memcpy(&exact, wanted.data(), sizeof exact);
    if (old != exact)
        report(index, "found " + std::to_string(old) + ", not " + std::to_string(exact));
}

void Executor::direct(int index)
{
    const Step& step = step_at(index);
    std::byte* const here = address(step.region, me_, step.at);
    const Bytes& wanted = tasks_.at(index).expected.after;
    if (step.variant == 1)
        ARMCI_Access_begin(here);
    if (step.verb == Verb::store)
        std::copy(wanted.begin(), wanted.end(), here);
    else if (!std::equal(wanted.begin(), wanted.end(), here))
        report(index, "loads find other bytes");
    if (step.variant == 1)
        ARMCI_Access_end(here);
}

void Executor::section(int index)
{
    const Step& step = step_at(index);
    const Rules::Block& block = truth_.rules().blocks().at(step.id);
    const Task& task = tasks_.at(index);
    const int bytes = static_cast<int>(block.shape.bytes), target = block.shape.target;
    std::byte* const there = address(block.shape.region, target, block.shape.at);
    Bytes found(static_cast<std::size_t>(bytes)), mine = task.expected.after;
    if (mutex_set_ == nullptr)
        ARMCI_Lock(block.mutex, block.actor);
    else if (step.variant % 2 == 0)
        ARMCIX_Lock_hdl(mutex_set_, block.mutex, block.actor);
    else
        while (ARMCIX_Trylock_hdl(mutex_set_, block.mutex, block.actor) != 0)
            sched_yield();
    ARMCI_Get(there, found.data(), bytes, target);
    compute(step.value);
    const int half = bytes / 2;
    int counts[] = {half, 2}, strides[] = {half};
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    switch (step.variant / 2) {
    case 0:
        ARMCI_Put(mine.data(), there, bytes, target);
        break;
    case 1:
        ARMCI_NbPut(mine.data(), there, bytes, target, &handle);
        ARMCI_Wait(&handle);
        break;
    case 2:
        ARMCI_PutS(mine.data(), strides, there, strides, counts, 1, target);
        ARMCI_Put(mine.data() + 2 * half, there + 2 * half, bytes - 2 * half, target);
        break;
    default:
        ARMCI_NbPut(mine.data() + half, there + half, bytes - half, target, nullptr);
        ARMCI_NbPut(mine.data(), there, half, target, nullptr);
        ARMCI_WaitProc(target);
    }
    if (mutex_set_ == nullptr)
        ARMCI_Unlock(block.mutex, block.actor);
    else
        ARMCIX_Unlock_hdl(mutex_set_, block.mutex, block.actor);
    operations_ += 3;
    if (found == task.expected.before)
        return note(index, -1);
    long stamp = 0;
    std::memcpy(&stamp, found.data(), sizeof stamp);
    const bool is_step = stamp >= 1 && static_cast<std::size_t>(stamp) <= program_.steps.size();
    if (is_step && step_at(static_cast<int>(stamp) - 1).verb == Verb::section &&
        step_at(static_cast<int>(stamp) - 1).id == step.id &&
        truth_.section_content(static_cast<int>(stamp) - 1) == found)
        return note(index, stamp - 1);
    report(index, "finds bytes that no holder left whole; their stamp is " + std::to_string(stamp));
}

void Executor::pass(int index)
{
    const Step& step = step_at(index);
    const int from = process_of(step.actor), to = process_of(step.peer), tag = 2000 + index % 20000;
    if (step.variant == 1) {
        int number = 0;
        if (from == me_)
            armci_notify(to);
        else if (armci_notify_wait(from, &number) != 0 || number < 1)
            report(index, "armci_notify_wait gives " + std::to_string(number));
        return;
    }
    int word = index;
    if (from == me_) {
        if (step.variant == 2)
            ARMCI_AllFence();
        else
            ARMCI_Fence(truth_.rules().blocks().at(step.id).shape.target);
        armci_msg_snd(tag, &word, sizeof word, to);
    } else {
        armci_msg_rcv(tag, &word, sizeof word, nullptr, from);
    }
}

void Executor::message(int index)
{
    const Step& step = step_at(index);
    const int from = process_of(step.actor), to = process_of(step.peer), tag = 2000 + index % 20000;
    Bytes wanted = tasks_.at(index).expected.after;
    const int bytes = static_cast<int>(wanted.size());
    if (from == me_)
        return armci_msg_snd(tag, wanted.data(), bytes, to);
    Bytes got(wanted.size() + 8);
    int length = -1, sender = from;
    if (step.variant == 1)
        sender = armci_msg_rcvany(tag, got.data(), bytes + 8, &length);
    else
        armci_msg_rcv(tag, got.data(), bytes + 8, &length, from);
    got.resize(wanted.size());
    if (sender != from || length != bytes || got != wanted)
        report(index, "came from " + std::to_string(sender) + " with " + std::to_string(length) +
                          " bytes, or other ones");
}

// Between overlapping ranges of private memory.
void Executor::copy(int index)
{
    const Step& step = step_at(index);
    const Bytes& before = tasks_.at(index).expected.before;
    Bytes moved = before, wanted = before;
    const long to = step.variant == 0 ? step.from : 0, from = step.variant == 0 ? 0 : step.from;
    if (step.bytes > 0)
        std::memmove(wanted.data() + to, wanted.data() + from, static_cast<std::size_t>(step.bytes));
    ARMCI_Copy(moved.data() + from, moved.data() + to, static_cast<int>(step.bytes));
    if (moved != wanted)
        report(index, "other bytes");
}

void Executor::complete(int index)
{
    const Step& step = step_at(index);
    const auto thread = static_cast<std::size_t>(step.actor % program_.threads);
    switch (step.verb) {
    case Verb::wait:
    case Verb::test: {
        armci_hdl_t& handle = handles_[thread][static_cast<std::size_t>(step.how)];
        if (step.toggles != 0)
            ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
        if (step.verb == Verb::wait)
            ARMCI_Wait(&handle);
        else
            while (ARMCI_Test(&handle) != 0)
                sched_yield();
        if (step.toggles != 0)
            ARMCI_SET_AGGREGATE_HANDLE(&handle);
        return look_at_all(index, step.actor, step.how, -1);
    }
    case Verb::wait_proc:
        ARMCI_WaitProc(step.target);
        return look_at_all(index, step.actor, implicit, step.target);
    case Verb::wait_all:
        ARMCI_WaitAll();
        return look_at_all(index, step.actor, implicit, -1);
    case Verb::fence:
        return ARMCI_Fence(step.target);
    case Verb::group_fence:
        return ARMCI_GroupFence(&groups_[step.group]);
    default:
        return ARMCI_AllFence();
    }
}

void Executor::look_at_all(int before, int actor, int how, int target)
{
    for (auto& [index, task] : tasks_) {
        const Step& step = step_at(index);
        const bool is_transfer = step.verb == Verb::put || step.verb == Verb::get || step.verb == Verb::acc;
        if (index >= before)
            break;
        if (is_transfer && step.actor == actor && step.how == how && (target < 0 || step.target == target))
            look(index);
    }
}

} // namespace oracle
