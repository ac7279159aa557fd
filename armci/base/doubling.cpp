#include "armci/base/doubling.hpp"

#include "armci/base/mpi.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

namespace armci::mpi {
namespace {

constexpr int tag = 0;
// Longer data go in pieces.
constexpr std::size_t most_at_once = std::size_t{1} << 20;

struct Place {
    explicit Place(MPI_Comm comm)
    {
        check(MPI_Comm_rank(comm, &me), "MPI_Comm_rank");
        check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    }
    int me = 0;
    int size = 1;
};

MPI_Request begin_send(const void* data, std::size_t bytes, int to, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm, &request), "MPI_Isend");
    return request;
}

MPI_Request begin_receive(void* data, std::size_t bytes, int from, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, comm, &request), "MPI_Irecv");
    return request;
}

void send(const void* data, std::size_t bytes, int to, MPI_Comm comm)
{
    MPI_Request sent = begin_send(data, bytes, to, comm);
    finish(sent);
}

void receive(void* data, std::size_t bytes, int from, MPI_Comm comm)
{
    MPI_Request arrived = begin_receive(data, bytes, from, comm);
    finish(arrived);
}

// Sends to one process and receives from one, each at most so many bytes; returns how many came.
std::size_t send_and_receive(const void* out, std::size_t bytes, int to, void* in, std::size_t most, int from,
                             MPI_Comm comm)
{
    MPI_Status status;
    MPI_Request arrived = begin_receive(in, most, from, comm);
    MPI_Request sent = begin_send(out, bytes, to, comm);
    finish(arrived, &status);
    finish(sent);
    int came = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &came), "MPI_Get_count");
    return static_cast<std::size_t>(came);
}

// Calls `act` with one piece after the other.
template <class Act>
void in_pieces(std::byte* x, std::size_t bytes, std::size_t unit, Act act)
{
    const std::size_t most = std::max(most_at_once / unit, std::size_t{1}) * unit;
    for (std::size_t done = 0; done < bytes; done += most)
        act(x + done, std::min(most, bytes - done));
}

// Pairs whose distance doubles, of the first 2^n processes; each of the others gives its part to one of these
// before, and gets the result after. The lower process of a pair comes first on both sides, so both have the
// same bits.
void combine_piece(std::byte* x, std::size_t bytes, const Fold& fold, MPI_Comm comm, const Place& place)
{
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::byte* const other = buffer.get();
    int paired = 1;
    while (2 * paired <= place.size)
        paired *= 2;
    if (place.me >= paired) {
        send(x, bytes, place.me - paired, comm);
        receive(x, bytes, place.me - paired, comm);
        return;
    }
    const bool has_guest = place.me + paired < place.size;
    if (has_guest) {
        receive(other, bytes, place.me + paired, comm);
        fold(x, other, bytes);
    }
    for (int step = 1; step < paired; step *= 2) {
        const int partner = place.me ^ step;
        send_and_receive(x, bytes, partner, other, bytes, partner, comm);
        if (partner > place.me) {
            fold(x, other, bytes);
        } else {
            fold(other, x, bytes);
            std::memcpy(x, other, bytes);
        }
    }
    if (has_guest)
        send(x, bytes, place.me + paired, comm);
}

void reduce_piece(std::byte* x, std::size_t bytes, const Fold& fold, MPI_Comm comm, const Place& place)
{
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
    for (int step = 1; step < place.size; step *= 2) {
        if ((place.me & step) != 0) {
            send(x, bytes, place.me - step, comm);
            return;
        }
        if (place.me + step < place.size) {
            receive(buffer.get(), bytes, place.me + step, comm);
            fold(x, buffer.get(), bytes);
        }
    }
}

void broadcast_piece(std::byte* x, std::size_t bytes, int root, MPI_Comm comm, const Place& place)
{
    const int mine = (place.me + place.size - root) % place.size; // the root is 0
    const auto at = [&](int number) { return (number + root) % place.size; };
    int step = 1;
    while (step <= mine)
        step *= 2;
    if (mine > 0)
        receive(x, bytes, at(mine - step / 2), comm);
    std::vector<MPI_Request> sent;
    for (; mine + step < place.size; step *= 2)
        sent.push_back(begin_send(x, bytes, at(mine + step), comm));
    for (MPI_Request& one : sent)
        finish(one);
}

} // namespace

void combine(std::byte* x, std::size_t bytes, std::size_t unit, const Fold& fold, MPI_Comm comm)
{
    const Place place(comm);
    in_pieces(x, bytes, unit,
              [&](std::byte* piece, std::size_t length) { combine_piece(piece, length, fold, comm, place); });
}

void reduce(std::byte* x, std::size_t bytes, std::size_t unit, const Fold& fold, MPI_Comm comm)
{
    const Place place(comm);
    in_pieces(x, bytes, unit,
              [&](std::byte* piece, std::size_t length) { reduce_piece(piece, length, fold, comm, place); });
}

void broadcast_in_steps(std::byte* x, std::size_t bytes, int root, MPI_Comm comm)
{
    const Place place(comm);
    in_pieces(x, bytes, 1, [&](std::byte* piece, std::size_t length) {
        broadcast_piece(piece, length, root, comm, place);
    });
}

// In each step a process tells all that it knows to the one 2^s before it. What it knows are the records of
// the processes from itself on.
record_runs::Bytes gather_runs(const std::byte* mine, std::size_t each, const std::vector<int>& counts,
                               MPI_Comm comm)
{
    const Place place(comm);
    // Records of `number` processes from `first` on, around the end.
    const auto records = [&](int first, int number) {
        if (counts.empty())
            return static_cast<std::size_t>(number);
        const auto begin = counts.begin() + first;
        const int before_end = std::min(number, place.size - first);
        return static_cast<std::size_t>(
            std::accumulate(begin, begin + before_end, 0) +
            std::accumulate(counts.begin(), counts.begin() + number - before_end, 0));
    };
    record_runs::Bytes known;
    record_runs::append(known, mine, records(place.me, 1), each);
    for (int step = 1; step < place.size; step *= 2) {
        const int to = (place.me + place.size - step) % place.size;
        const int from = (place.me + step) % place.size;
        const int number = std::min(step, place.size - step);
        const std::size_t most = record_runs::most_bytes(records(from, number), each);
        const auto buffer = std::make_unique_for_overwrite<std::byte[]>(most);
        const record_runs::Bytes part = number < step
                                            ? record_runs::split(known, records(place.me, number), each).first
                                            : record_runs::Bytes();
        const record_runs::Bytes& told = number < step ? part : known;
        const std::size_t came =
            send_and_receive(told.data(), told.size(), to, buffer.get(), most, from, comm);
        record_runs::append(known, std::span<const std::byte>(buffer.get(), came), each);
    }
    auto [last, first] = record_runs::split(known, records(place.me, place.size - place.me), each);
    record_runs::append(first, std::span<const std::byte>(last), each);
    return first;
}

// By messages, not by MPI_Ibarrier: while one is under way, Open MPI's every look at a request costs more.
bool barrier(MPI_Comm comm, bool mine)
{
    const Place place(comm);
    bool all = mine;
    for (int step = 1; step < place.size; step *= 2) {
        const auto told = static_cast<char>(all);
        char heard = 0;
        send_and_receive(&told, 1, (place.me + step) % place.size, &heard, 1,
                         (place.me + place.size - step) % place.size, comm);
        all = all && heard != 0;
    }
    return all;
}

void allgather(const void* mine, void* all, int bytes, MPI_Comm comm)
{
    const auto each = static_cast<std::size_t>(bytes);
    const record_runs::Bytes runs = gather_runs(static_cast<const std::byte*>(mine), each, {}, comm);
    record_runs::expand(runs, each, static_cast<std::byte*>(all));
}

} // namespace armci::mpi
