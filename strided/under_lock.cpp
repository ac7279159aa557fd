#include "strided/methods.hpp"
#include "strided/walk.hpp"

namespace armci::strided {
namespace {

using gmr::locked::Turn;

// Segment after segment, as they may overlap or are long.
void one_after_another(const Transfer& transfer, Turn& turn)
{
    walk(transfer.shape, transfer.mine, std::int64_t{0}, [&](const std::byte* from, std::int64_t offset) {
        turn.add(transfer.reach.at(transfer.first + offset), *transfer.accumulation, from,
                 static_cast<std::byte*>(transfer.request.target) + offset,
                 static_cast<std::uint64_t>(transfer.shape.segment));
    });
}

// Gets all segments of a part of the shape, adds, and puts them; it starts some bytes on at either side.
int add_chunk(const Transfer& transfer, const Shape& chunk, std::int64_t source, std::int64_t target,
              Turn& turn)
{
    std::byte* const sums = turn.take(static_cast<std::uint64_t>(chunk.bytes()));
    std::byte* const there = static_cast<std::byte*>(transfer.request.target) + target;
    const auto move = [&](Kind kind, const Shape& shape, std::byte* from, std::byte* to, gmr::Issue issue) {
        const Request request{transfer.request.call,    from, nullptr, to, nullptr, nullptr, 0,
                              transfer.request.process, issue};
        return over_the_network(
            {request, shape, kind, transfer.reach, transfer.extent, transfer.first + target, sums, false});
    };
    const Shape gathered = gathering(chunk);
    if (const int error = move(Kind::get, gathered, there, sums, Turn::gets()))
        return error;
    walk(packing(chunk), transfer.mine + source, sums, [&](const std::byte* from, std::byte* to) {
        transfer.accumulation->add_unshared(to, from, static_cast<std::size_t>(chunk.segment));
    });
    return move(Kind::put, reversed(gathered), sums, there, Turn::puts());
}

} // namespace

int under_lock(const Transfer& transfer, Turn& turn)
{
    constexpr auto most = static_cast<std::int64_t>(Turn::most_bytes);
    if (transfer.reach.use_load_store() || transfer.shape.segment > most ||
        may_overlap<&Level::target_stride>(transfer.shape)) {
        one_after_another(transfer, turn);
        return 0;
    }
    int error = 0;
    in_chunks(transfer.shape, most, [&](const Shape& chunk, std::int64_t source, std::int64_t target) {
        if (error == 0)
            error = add_chunk(transfer, chunk, source, target, turn);
    });
    return error;
}

} // namespace armci::strided
