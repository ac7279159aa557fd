// The end of a round: synchronises, and compares memory and results with the oracle's.
#include "tests/oracle/executor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace oracle {

void Executor::sync(int index, int from)
{
    static const Step last;
    const bool is_end = static_cast<std::size_t>(index) == program_.steps.size();
    const Step& step = is_end ? last : step_at(index);
    position_.step = index;
    ++position_.moves;
    spoil();
    switch (step.variant) {
    case 0:
        ARMCI_Barrier();
        break;
    case 1:
        ARMCI_AllFence();
        armci_msg_barrier();
        break;
    case 2:
        for (int p = 0; p < program_.ranks; ++p)
            ARMCI_Fence((me_ + p) % program_.ranks);
        armci_msg_barrier();
        break;
    default:
        ARMCI_GroupFence(&groups_[0]);
        armci_msg_group_barrier(&groups_[0]);
    }
    operations_ += 1;
    if (is_end)
        return;
    for (int thread = 0; thread < program_.threads; ++thread)
        look_at_all(index, me_ * program_.threads + thread, implicit, -1);
    if (step.check != 0) {
        std::vector<int> bytes(static_cast<std::size_t>(program_.ranks)), starts(bytes.size() + 1, 0);
        const int mine = static_cast<int>(events_.size() * sizeof(Event));
        MPI_Allgather(&mine, 1, MPI_INT, bytes.data(), 1, MPI_INT, comm_);
        for (std::size_t p = 0; p < bytes.size(); ++p)
            starts[p + 1] = starts[p] + bytes[p];
        std::vector<Event> all(static_cast<std::size_t>(starts.back()) / sizeof(Event));
        if (!all.empty())
            MPI_Allgatherv(events_.data(), mine, MPI_BYTE, all.data(), bytes.data(), starts.data(), MPI_BYTE,
                           comm_);
        if (const std::string wrong = truth_.settle(all); !wrong.empty())
            report(from, "in the round that begins here: " + wrong);
        compare_memory(step.check);
    }
    truth_.play(index, me_);
    for (auto& [number, task] : tasks_)
        if (task.local != nullptr)
            ARMCI_Free_local(task.local);
    tasks_.clear();
}

void Executor::spoil()
{
    if (spoils_ == Spoils::nothing || me_ != program_.ranks - 1)
        return;
    while (spoils_ == Spoils::hang)
        std::this_thread::sleep_for(std::chrono::seconds(1));
    for (const auto& [id, slices] : bases_)
        if (truth_.rules().size_of(id, me_) > 0)
            *address(id, me_, truth_.rules().size_of(id, me_) - 1) ^= std::byte{1};
}

void Executor::compare_memory(int check)
{
    for (const auto& [id, region] : truth_.rules().regions()) {
        if (!region.exists || (region.mode & ARMCIX_MODE_ACC_ONLY))
            continue;
        // Members read what another has, too.
        const bool is_member =
            std::find(region.members.begin(), region.members.end(), me_) != region.members.end();
        for (int n = 0; n < (check == 2 && is_member ? 2 : 1); ++n) {
            const int process = (me_ + n) % program_.ranks;
            const long size = truth_.rules().size_of(id, process);
            if (size == 0)
                continue;
            const Bytes& wanted = truth_.memory(id, process);
            Bytes copy(static_cast<std::size_t>(size));
            const std::byte* found = address(id, process, 0);
            const DirectAccess access(*this, n == 0 ? address(id, me_, 0) : nullptr);
            if (n == 1 || (region.mode & ARMCIX_MODE_NO_LOAD_STORE)) {
                ARMCI_Get(bases_[id][static_cast<std::size_t>(process)], copy.data(), static_cast<int>(size),
                          process);
                found = copy.data();
            }
            if (std::memcmp(found, wanted.data(), wanted.size()) == 0)
                continue;
            const auto [a, b] = std::mismatch(wanted.begin(), wanted.end(), found);
            long count = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i)
                count += found[i] != wanted[i] ? 1 : 0;
            report(static_cast<int>(position_.step),
                   "region " + std::to_string(id) + " of process " + std::to_string(process) + ": byte " +
                       std::to_string(a - wanted.begin()) + " is " +
                       std::to_string(std::to_integer<int>(*b)) + ", not " +
                       std::to_string(std::to_integer<int>(*a)) + " (" + std::to_string(count) + " differ)");
        }
    }
}

void Executor::tear_down()
{
    ARMCI_Barrier();
    for (auto& [number, task] : tasks_)
        if (task.local != nullptr)
            ARMCI_Free_local(task.local);
    std::vector<int> ids;
    for (const auto& entry : bases_)
        ids.push_back(entry.first);
    if (program_.seed % 2 == 1)
        std::reverse(ids.begin(), ids.end());
    for (const int id : ids)
        free_region(id);
    if (has_mutexes_)
        free_mutexes();
    for (auto& [id, group] : groups_)
        if (id != 0 && group.rank >= 0)
            ARMCI_Group_free(&group);
}

void Executor::report(int index, const std::string& text)
{
    const std::lock_guard hold(lock_);
    if (++wrong_count_ > 10)
        return;
    std::string line = "[rank " + std::to_string(me_) + "] step " + std::to_string(index);
    if (index >= 0 && static_cast<std::size_t>(index) < program_.steps.size())
        line += " (" + text_of(step_at(index)) + ")";
    std::printf("%s: %s\n", line.c_str(), text.c_str());
    std::fflush(stdout);
}

void Executor::note(int index, long found)
{
    const std::lock_guard hold(lock_);
    events_.push_back({index, found});
}

void Executor::look(int index)
{
    Task& task = tasks_.at(index);
    const Step& step = step_at(index);
    if (task.is_done)
        return;
    task.is_done = true;
    const Bytes& wanted = task.expected.after;
    const long bytes = static_cast<long>(wanted.size());
    if (step.origin >= 0 && step.verb != Verb::get)
        return; // its bytes are seen with all memory
    if (bytes > 0 && std::memcmp(task.buffer, wanted.data(), wanted.size()) != 0) {
        const auto [a, b] = std::mismatch(wanted.begin(), wanted.end(), task.buffer);
        return report(index, "byte " + std::to_string(a - wanted.begin()) + " of its buffer is " +
                                 std::to_string(std::to_integer<int>(*b)) + ", not " +
                                 std::to_string(std::to_integer<int>(*a)));
    }
    if (step.origin >= 0)
        return;
    for (long i = 1; i <= guard; ++i)
        if (task.buffer[-i] != guard_byte || task.buffer[bytes + i - 1] != guard_byte)
            return report(index, "bytes around its buffer changed");
}

} // namespace oracle
