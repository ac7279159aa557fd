// The steps of a round: preparation, threads, collective steps, and the look at all memory that ends it.
// Steps of one process are in actions.cpp.
#include "tests/oracle/executor.hpp"

#include "tests/oracle/messages.hpp"

#include <message.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace oracle {

namespace {

constexpr long guard = 32;
constexpr auto guard_byte = std::byte{0xa5};

std::vector<int> nodes_of(int ranks)
{
    std::vector<int> nodes;
    for (int p = 0; p < ranks; ++p)
        nodes.push_back(armci_domain_id(ARMCI_DOMAIN_SMP, p));
    return nodes;
}

} // namespace

Executor::Executor(const Program& program, MPI_Comm comm, Position& position, Spoils spoils)
    : program_(program), comm_(comm), position_(position), spoils_(spoils),
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
            carry_out(index, thread);
        }
    }
}

bool Executor::has_part(int group) const
{
    const List& members = truth_.rules().groups().at(group);
    return std::find(members.begin(), members.end(), me_) != members.end();
}

std::byte* Executor::address(int region, int target, long at) const
{
    return static_cast<std::byte*>(bases_.at(region)[static_cast<std::size_t>(target)]) + at;
}

void Executor::collective(int index)
{
    const Step& step = step_at(index);
    operations_ += step.verb == Verb::block ? 0 : 1;
    switch (step.verb) {
    case Verb::group:
        return group(step);
    case Verb::group_free:
        if (groups_.count(step.group) != 0) {
            if (groups_[step.group].rank >= 0)
                ARMCI_Group_free(&groups_[step.group]);
            groups_.erase(step.group);
        }
        return;
    case Verb::alloc:
        return allocate(step);
    case Verb::free:
        return free_region(step.region);
    case Verb::mutexes:
        return make_mutexes(step);
    case Verb::mutexes_free:
        return free_mutexes();
    case Verb::mode: {
        const Rules::Region& region = truth_.rules().regions().at(step.region);
        ARMCI_Group& members = groups_[region.group];
        if (members.rank >= 0 &&
            ARMCIX_Mode_set(static_cast<int>(step.value), bases_[step.region][static_cast<std::size_t>(me_)],
                            region.group == 0 ? nullptr : &members) != 0)
            report(index, "ARMCIX_Mode_set refuses");
        armci_msg_barrier(); // processes outside keep the promise, too
        return;
    }
    case Verb::barrier:
        if (step.group == 0 && step.variant == 0)
            armci_msg_barrier();
        else if (groups_[step.group].rank >= 0)
            armci_msg_group_barrier(&groups_[step.group]);
        return;
    case Verb::block:
        fill_block(step);
        if (static_cast<std::size_t>(index) + 1 == program_.steps.size() ||
            step_at(index + 1).verb != Verb::block)
            armci_msg_barrier();
        return;
    default:
        return message_of_all(index);
    }
}

void Executor::group(const Step& step)
{
    ARMCI_Group& made = groups_[step.id];
    made = {};
    made.rank = -1;
    std::vector<int> members(step.members.begin(), step.members.end());
    const auto mine = std::find(members.begin(), members.end(), me_);
    switch (step.variant) {
    case 0: // by everybody
        ARMCI_Group_create(static_cast<int>(members.size()), members.data(), &made);
        break;
    case 1:
        if (mine != members.end())
            ARMCI_Group_create_child(static_cast<int>(members.size()), members.data(), &made, &groups_[0]);
        break;
    default:
        ARMCIX_Group_split(&groups_[0], mine == members.end() ? -1 : 1,
                           static_cast<int>(mine - members.begin()), &made);
        if (mine == members.end())
            made.rank = -1;
    }
    if (mine == members.end())
        return;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (ARMCI_Absolute_id(&made, static_cast<int>(i)) != members[i])
            report(-1, text_of(step) + ": rank " + std::to_string(i) + " is another process");
}

void Executor::allocate(const Step& step)
{
    const List& members = truth_.rules().groups().at(step.group);
    std::vector<void*>& all = bases_[step.id];
    all.assign(static_cast<std::size_t>(program_.ranks), nullptr);
    const auto mine = std::find(members.begin(), members.end(), me_);
    if (mine != members.end()) {
        std::vector<void*> given(members.size());
        const auto rank = static_cast<std::size_t>(mine - members.begin());
        const int failed = step.group == 0 && step.variant == 0 ? ARMCI_Malloc(given.data(), step.sizes[rank])
                           : step.group == 0 && step.variant == 1
                               ? ARMCI_Malloc_memdev(given.data(), step.sizes[rank], "any")
                               : ARMCI_Malloc_group(given.data(), step.sizes[rank], &groups_[step.group]);
        if (failed != 0)
            report(-1, text_of(step) + ": refused");
        for (std::size_t i = 0; i < members.size(); ++i)
            all[static_cast<std::size_t>(members[i])] = given[i];
        const Bytes content = noise(step.sizes[rank], step.data + rank);
        if (!content.empty())
            std::memcpy(given[rank], content.data(), content.size());
    }
    // Also to processes outside of the group.
    std::vector<void*> own(all.size(), nullptr);
    own[static_cast<std::size_t>(me_)] = all[static_cast<std::size_t>(me_)];
    armci_exchange_address(own.data(), static_cast<int>(own.size()));
    if (mine != members.end() && own != all)
        report(-1, text_of(step) + ": members were given other addresses");
    all = own;
    armci_msg_barrier();
}

void Executor::fill_block(const Step& step)
{
    if (step.target == me_)
        for (long row = 0; row < step.rows; ++row)
            fill(address(step.region, me_, step.at + row * step.pitch), step.bytes, step.type, step.data,
                 row * step.bytes);
}

void Executor::free_region(int id)
{
    const auto& region = truth_.rules().regions().at(id);
    ARMCI_Group& members = groups_[region.group];
    void* const mine = bases_[id][static_cast<std::size_t>(me_)];
    if (members.rank >= 0 && (region.group == 0 ? ARMCI_Free(mine) : ARMCI_Free_group(mine, &members)) != 0)
        report(-1, "the free of region " + std::to_string(id) + " is refused");
    bases_.erase(id);
}

void Executor::make_mutexes(const Step& step)
{
    const int count = static_cast<int>(step.sizes[static_cast<std::size_t>(me_)]);
    if (step.variant == 0)
        ARMCI_Create_mutexes(count);
    else
        mutex_set_ = ARMCIX_Create_mutexes_hdl(count, &groups_[0]);
    has_mutexes_ = true;
}

void Executor::free_mutexes()
{
    if (mutex_set_ != nullptr)
        ARMCIX_Destroy_mutexes_hdl(mutex_set_);
    else
        ARMCI_Destroy_mutexes();
    mutex_set_ = nullptr;
    has_mutexes_ = false;
}

void Executor::message_of_all(int index)
{
    const Step& step = step_at(index);
    Task& task = tasks_.at(index);
    ARMCI_Group& group = groups_[step.group];
    if (group.rank < 0)
        return;
    const List members =
        scope_members(step.scope, truth_.rules().groups().at(step.group), truth_.nodes(), me_);
    char op[16];
    std::snprintf(op, sizeof op, "%s", operators[step.op]);
    const int n = static_cast<int>(step.bytes), type = static_cast<int>(step.value);
    void* const x = task.buffer;
    if (step.verb == Verb::broadcast) {
        // A process that is out of the scope names one that is in.
        const int root = members.empty() ? static_cast<int>(truth_.rules().groups().at(step.group)[0])
                                         : root_of(step, members);
        if (step.group != 0 || step.variant == 2)
            armci_msg_group_bcast_scope(step.scope, x, n, root, &group);
        else if (step.scope == SCOPE_ALL && step.variant == 1)
            armci_msg_brdcst(x, n, root);
        else
            armci_msg_bcast_scope(step.scope, x, n, root);
    } else if (step.verb == Verb::select) {
        armci_msg_sel_scope(step.scope, x, n, op, type, competes(step, me_) ? 1 : 0);
    } else if (step.variant == 1) {
        armci_msg_reduce_scope(step.scope, x, n, op, type);
    } else if (step.group != 0 || step.variant == 2) {
        armci_msg_group_gop_scope(step.scope, x, n, op, type, &group);
    } else if (step.scope == SCOPE_ALL && step.variant == 3) {
        type == ARMCI_INT         ? armci_msg_igop(static_cast<int*>(x), n, op)
        : type == ARMCI_LONG      ? armci_msg_lgop(static_cast<long*>(x), n, op)
        : type == ARMCI_LONG_LONG ? armci_msg_llgop(static_cast<long long*>(x), n, op)
        : type == ARMCI_FLOAT     ? armci_msg_fgop(static_cast<float*>(x), n, op)
                                  : armci_msg_dgop(static_cast<double*>(x), n, op);
    } else {
        armci_msg_gop_scope(step.scope, x, n, op, type);
    }
    if (!members.empty())
        look(index);
}

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
    for (long i = 0; i < bytes; ++i)
        if (task.buffer[i] != wanted[static_cast<std::size_t>(i)])
            return report(index,
                          "byte " + std::to_string(i) + " of its buffer is " +
                              std::to_string(std::to_integer<int>(task.buffer[i])) + ", not " +
                              std::to_string(std::to_integer<int>(wanted[static_cast<std::size_t>(i)])));
    if (step.origin >= 0)
        return;
    for (long i = 1; i <= guard; ++i)
        if (task.buffer[-i] != guard_byte || task.buffer[bytes + i - 1] != guard_byte)
            return report(index, "bytes around its buffer changed");
}

} // namespace oracle
