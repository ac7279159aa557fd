#include "iov/transfer.hpp"

#include "armci/base/check/check.hpp"
#include "armci/base/diagnostics.hpp"
#include "armci/base/observe/observe.hpp"
#include "gmr/cpu_turn.hpp"
#include "gmr/locate.hpp"
#include "gmr/node/kernels/copy.hpp"
#include "gmr/transfer/elements.hpp"
#include "gmr/transfer/messaged.hpp"
#include "iov/methods.hpp"

#include <vector>

namespace armci::iov {
namespace {

template <std::size_t Bytes>
void copy_each(void* const* to, void* const* from, int count)
{
    for (int i = 0; i < count; ++i)
        gmr::kernels::copy_fixed<Bytes>(static_cast<std::byte*>(to[i]), static_cast<std::byte*>(from[i]));
}

void copy_each(void* const* to, void* const* from, int count, std::size_t bytes)
{
    switch (bytes) {
    case 8:
        return copy_each<8>(to, from, count);
    case 16:
        return copy_each<16>(to, from, count);
    case 32:
        return copy_each<32>(to, from, count);
    case 64:
        return copy_each<64>(to, from, count);
    default:
        for (int i = 0; i < count; ++i)
            gmr::kernels::copy(to[i], from[i], bytes);
    }
}

void on_the_node(const Request& request)
{
    if (request.kind == Kind::accumulate) {
        gmr::AccumulateLock lock;
        each_segment(request, [&](std::byte* remote, std::byte* local, std::uint64_t bytes) {
            request.accumulation->add(lock, remote, local, bytes);
            return true;
        });
        return;
    }
    for (const Descriptor& one : request.descriptors)
        if (one.bytes > 0)
            copy_each(one.dst_ptr_array, one.src_ptr_array, one.ptr_array_len,
                      static_cast<std::size_t>(one.bytes));
}

int over_the_network(const Request& request, const Survey& survey)
{
    IovMethod method = IovMethod::conservative;
    const bool sends_messages = gmr::remote::sends_messages();
    if (!sends_messages || checks_segments())
        if (const int error = choose_method(request, survey, method))
            return error;
    if (sends_messages) {
        as_messages(request);
        return 0;
    }
    switch (method) {
    case IovMethod::batched:
        batched(request, survey, batched_limit(), joins_near(request, survey));
        break;
    case IovMethod::direct:
        direct(request, survey);
        break;
    default:
        conservative(request, survey);
    }
    return 0;
}

// As look_at_all(); gives the turn back where the CPU does not reach every segment by its address.
int look_with_turn(Request& request, Survey& survey, gmr::CpuTurn& turn)
{
    request.accumulate_use = turn.use();
    const int error = look_at_all(request, survey);
    if (error != 0 || !turn || survey.at_hand)
        return error;
    turn.end();
    request.accumulate_use = turn.use();
    survey = {};
    return look_at_all(request, survey);
}

// What look_at_all() has found.
int transfer_surveyed(const Request& request, const Survey& survey)
{
    if (survey.segments == 0)
        return 0;
    if (survey.at_hand)
        on_the_node(request);
    else if (const int error = over_the_network(request, survey))
        return error;
    return 0;
}

bool is_misaligned(const Request& request)
{
    std::uint64_t addresses = 0;
    each_segment(request, [&](const std::byte* remote, const std::byte*, std::uint64_t) {
        addresses |= reinterpret_cast<std::uintptr_t>(remote);
        return true;
    });
    return gmr::locked::takes_misaligned(*request.accumulation, addresses);
}

// The segments of an accumulate that are misaligned at the target, or those that are not, as descriptors of
// their own.
class Part {
public:
    Part(const Request& request, bool misaligned)
    {
        each_segment(request, [&](std::byte* remote, const std::byte* local, std::uint64_t bytes) {
            if (gmr::locked::takes_misaligned(*request.accumulation,
                                              reinterpret_cast<std::uintptr_t>(remote)) == misaligned) {
                remotes_.push_back(remote);
                locals_.push_back(const_cast<std::byte*>(local));
                sizes_.push_back(static_cast<int>(bytes));
            }
            return true;
        });
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            if (i == 0 || sizes_[i] != sizes_[i - 1])
                descriptors_.push_back({&locals_[i], &remotes_[i], sizes_[i], 0});
            ++descriptors_.back().ptr_array_len;
        }
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    bool empty() const { return sizes_.empty(); }
    Request of(Request request) const
    {
        request.descriptors = descriptors_;
        return request;
    }

private:
    std::vector<void*> remotes_, locals_;
    std::vector<int> sizes_;
    std::vector<Descriptor> descriptors_;
};

observe::Nanoseconds begin()
{
    return observe::active ? observe::now() : 0;
}

// Tells who looks of an operation that is over, or on its way.
[[gnu::cold, gnu::noinline]] void saw(observe::Nanoseconds began, const Request& request,
                                      const Survey& survey)
{
    const bool puts = request.kind == Kind::put;
    const bool gets = request.kind == Kind::get;
    observe::Operation operation{request.call,
                                 puts   ? observe::Kind::put_vector
                                 : gets ? observe::Kind::get_vector
                                        : observe::Kind::accumulate_vector,
                                 request.process, nullptr, began};
    check::Operation checked(request.call,
                             puts   ? check::Access::write
                             : gets ? check::Access::read
                                    : check::Access::atomic,
                             request.process, request.issue.blocking, request.issue.handle);
    each_segment(request, [&](const std::byte* remote, const std::byte* local, std::uint64_t bytes) {
        if (operation.address == nullptr)
            operation.address = remote;
        checked.segment(remote, local, bytes);
        return check::active;
    });
    if (check::active)
        checked.end();
    operation.saw(static_cast<std::int64_t>(survey.bytes), survey.at_hand);
}

void end(observe::Nanoseconds began, const Request& request, const Survey& survey)
{
    if (survey.segments == 0)
        return;
    if (observe::active) [[unlikely]]
        saw(began, request, survey);
    gmr::end_operation(static_cast<std::int64_t>(survey.bytes), survey.at_hand);
}

// Nothing changes before all segments are found good; `survey` learns what was found for plain use.
int add_under_lock(Request request, Survey& survey)
{
    request.accumulate_use = gmr::Use::plain;
    survey = {};
    if (const int error = look_at_all(request, survey))
        return error;
    gmr::locked::Turn turn(request.process);
    return under_lock(request, survey, turn);
}

// As MPI and CPUs add to aligned elements. `survey` learns what was found.
int add_aligned(Request request, Survey& survey)
{
    gmr::CpuTurn turn(request.process, gmr::remote::access_of(request.accumulation->element()));
    if (const int error = look_with_turn(request, survey, turn))
        return error;
    const bool goes_away = survey.segments > 0 && !survey.at_hand;
    if (goes_away && gmr::locked::takes_network()) {
        const gmr::MpiTurn mpi_turn(request.process, gmr::remote::access_of(request.accumulation->element()));
        if (const int error = add_under_lock(request, survey))
            return error;
    } else if (const int error = transfer_surveyed(request, survey)) {
        return error;
    }
    turn.end();
    return 0;
}

// Aligned segments go as those of other calls do: elements that lie alike must be atomic against each other,
// whatever lies beside them.
int add_misaligned(Request request, Survey& survey)
{
    request.accumulate_use = gmr::Use::plain;
    if (const int error = look_at_all(request, survey)) // before any changes
        return error;
    const Part aligned(request, false);
    const Part misaligned(request, true);
    Survey of_part;
    if (!aligned.empty())
        if (const int error = add_aligned(aligned.of(request), of_part))
            return error;
    return add_under_lock(misaligned.of(request), of_part);
}

int look_and_transfer(const Request& request)
{
    const observe::Nanoseconds began = begin();
    Survey survey;
    if (const int error = look_at_all(request, survey))
        return error;
    if (const int error = transfer_surveyed(request, survey))
        return error;
    end(began, request, survey);
    return 0;
}

} // namespace

int check(const char* call, const void* descriptors, int count)
{
    if (count < 0)
        return diag::reject(call, "the number of descriptors is %d; it must not be negative", count);
    if (count > 0 && descriptors == nullptr)
        return diag::reject(call, "the descriptor array is NULL; it must have %d entries", count);
    return 0;
}

int transfer(const Request& request)
{
    Survey survey;
    if (const int error = look_at_all(request, survey))
        return error;
    return transfer_surveyed(request, survey);
}

int add_by_alignment(const Request& request)
{
    Survey survey;
    return add_misaligned(request, survey);
}

int put(const char* call, std::span<const Descriptor> descriptors, int process, gmr::Issue issue)
{
    return look_and_transfer({call, Kind::put, descriptors, process, issue});
}

int get(const char* call, std::span<const Descriptor> descriptors, int process, gmr::Issue issue)
{
    return look_and_transfer({call, Kind::get, descriptors, process, issue});
}

int accumulate(const char* call, int type, const void* scale, std::span<const Descriptor> descriptors,
               int process, gmr::Issue issue)
{
    gmr::Accumulation accumulation;
    if (const int error = gmr::Accumulation::prepare(call, type, scale, accumulation))
        return error;
    const Request request{call, Kind::accumulate, descriptors, process, issue, &accumulation, scale};
    bool misaligned = false;
    if (!gmr::peers.cpu_atomics) {
        if (const int error = check_descriptors(request))
            return error;
        misaligned = is_misaligned(request);
    }
    const observe::Nanoseconds began = begin();
    Survey survey;
    if (const int error = misaligned ? add_misaligned(request, survey) : add_aligned(request, survey))
        return error;
    end(began, request, survey);
    return 0;
}

} // namespace armci::iov
