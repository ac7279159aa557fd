// The rounds of a program: preparation, and what each thread does. Steps of one process are in actions.cpp,
// collective ones in collectives.cpp, the end of a round in comparison.cpp.
#include "tests/oracle/executor.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace oracle {

namespace {

std::vector<int> nodes_of(int ranks)
{
    std::vector<int> nodes;
    for (int p = 0; p < ranks; ++p)
        nodes.push_back(armci_domain_id(ARMCI_DOMAIN_SMP, p));
    return nodes;
}

} // namespace

Executor::Executor(const Program& program, MPI_Comm comm, Position& position, Spoils spoils,
                   bool asks_for_access)
    : program_(program), comm_(comm), position_(position), spoils_(spoils), asks_for_access_(asks_for_access),
      truth_(program, nodes_of(program.ranks)),
      handles_(static_cast<std::size_t>(program.threads), std::vector<armci_hdl_t>(handles)),
      meeting_(std::make_unique<std::barrier<>>(program.threads))
{
    MPI_Comm_rank(comm, &me_);
    ARMCI_Group_get_world(&groups_[0]);
    for (auto& mine : handles_)
        for (int h = 0; h < handles; ++h) {
            ARMCI_INIT_HANDLE(&mine[static_cast<std::size_t>(h)]);
            if (is_aggregate(h))
                ARMCI_SET_AGGREGATE_HANDLE(&mine[static_cast<std::size_t>(h)]);
        }
}

bool Executor::run()
{
    const int end = static_cast<int>(program_.steps.size());
    bool is_wrong = false;
    for (int from = 0; from < end && !is_wrong;) {
        int to = from;
        while (to < end && step_at(to).verb != Verb::sync)
            ++to;
        prepare(from, to);
        run_round(from, to);
        sync(to, from);
        int mine = wrong_count_ > 0 ? 1 : 0, any = 0;
        if (to == end || step_at(to).check != 0)
            MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm_);
        is_wrong = any != 0;
        from = to + 1;
    }
    if (!is_wrong)
        tear_down();
    return !is_wrong;
}

bool Executor::is_collective(const Step& step) const
{
    switch (step.verb) {
    case Verb::group:
    case Verb::group_free:
    case Verb::alloc:
    case Verb::free:
    case Verb::mutexes:
    case Verb::mutexes_free:
    case Verb::mode:
    case Verb::barrier:
    case Verb::reduce:
    case Verb::broadcast:
    case Verb::select:
    case Verb::block:
        return true;
    default:
        return false;
    }
}

bool Executor::concerns(const Step& step, int thread) const
{
    const int actor = me_ * program_.threads + thread;
    const bool has_peer = step.verb == Verb::pass || step.verb == Verb::flagged || step.verb == Verb::message;
    return step.verb != Verb::use && (step.actor == actor || (has_peer && step.peer == actor));
}

// Expected results, and buffers, so that nothing lies between the calls of the round itself.
void Executor::prepare(int from, int to)
{
    tasks_.clear();
    events_.clear();
    for (int index = from; index < to; ++index) {
        const Step& step = step_at(index);
        Expected expected = truth_.play(index, me_);
        bool is_mine = is_collective(step);
        for (int thread = 0; thread < program_.threads; ++thread)
            is_mine = is_mine || concerns(step, thread);
        if (!is_mine)
            continue;
        Task& task = tasks_[index];
        task.expected = std::move(expected);
        make_buffer(step, task);
    }
}

void Executor::make_buffer(const Step& step, Task& task)
{
    const Bytes& content = task.expected.before;
    if (step.origin >= 0)
        return; // the address is known once the region is
    const long bytes = static_cast<long>(content.size());
    if (step.variant % 2 == 1 && bytes > 0) {
        task.local = ARMCI_Malloc_local(bytes + 2 * guard);
        task.buffer = static_cast<std::byte*>(task.local);
    } else {
        task.heap.resize(static_cast<std::size_t>(bytes + 3 * guard));
        task.buffer = task.heap.data() + step.data % guard;
    }
    std::memset(task.buffer, static_cast<int>(guard_byte), static_cast<std::size_t>(bytes + 2 * guard));
    task.buffer += guard;
    std::copy(content.begin(), content.end(), task.buffer);
}

void Executor::run_round(int from, int to)
{
    std::vector<std::thread> others;
    for (int thread = 1; thread < program_.threads; ++thread)
        others.emplace_back([=, this] { run_thread(thread, from, to); });
    run_thread(0, from, to);
    for (std::thread& other : others)
        other.join();
}

void Executor::run_thread(int thread, int from, int to)
{
    for (int index = from; index < to; ++index) {
        const Step& step = step_at(index);
        if (is_collective(step)) {
            if (program_.threads > 1)
                meeting_->arrive_and_wait();
            if (thread == 0) {
                position_.step = index;
                ++position_.moves;
                collective(index);
            }
            if (program_.threads > 1)
                meeting_->arrive_and_wait();
        } else if (concerns(step, thread)) {
            position_.step = index;
            ++position_.moves;
            carry_out(index);
        }
    }
}

} // namespace oracle
