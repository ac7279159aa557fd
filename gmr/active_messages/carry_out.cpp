#include "gmr/active_messages/carry_out.hpp"

#include "armci/base/wait.hpp"
#include "gmr/node/accumulate.hpp"

#include <atomic>
#include <cstring>

namespace armci::gmr::active_messages {
namespace {

template <class T>
bool take(std::span<const std::byte>& from, T& to)
{
    if (from.size() < sizeof to)
        return false;
    std::memcpy(&to, from.data(), sizeof to);
    from = from.subspan(sizeof to);
    return true;
}

template <class Word>
std::uint64_t change(const Fetch& fetch)
{
    const std::atomic_ref<Word> word(*reinterpret_cast<Word*>(fetch.address));
    const auto operand = narrowed<Word>(fetch.operand);
    Word old{};
    switch (fetch.operation) {
    case Operation::add:
        old = word.fetch_add(operand);
        break;
    case Operation::swap:
        old = word.exchange(operand);
        break;
    case Operation::compare_and_swap:
        old = narrowed<Word>(fetch.expected);
        word.compare_exchange_strong(old, operand);
        break;
    case Operation::read:
        old = word.load();
        break;
    case Operation::notify:
        old = word.fetch_add(operand);
        wait::wake(*reinterpret_cast<wait::Word*>(fetch.address));
        break;
    }
    return widened(old);
}

bool add_all(std::span<const std::byte> message)
{
    Sums sums{};
    if (!take(message, sums) || sums.element >= kernels::element_kinds)
        return false;
    Accumulation accumulation;
    if (Accumulation::prepare("ARMCI_Acc", static_cast<int>(sums.element), sums.scale.data(), accumulation) !=
        0)
        return false;
    AccumulateLock lock;
    while (!message.empty()) {
        Run run{};
        if (!take(message, run) || run.bytes == 0 || run.count > most_data / run.bytes ||
            padded(run.bytes * run.count) > message.size())
            return false;
        accumulation.add_rows(lock, {reinterpret_cast<std::byte*>(run.address), run.stride, message.data(),
                                     static_cast<std::int64_t>(run.bytes),
                                     static_cast<std::int64_t>(run.count), run.bytes});
        message = message.subspan(padded(run.bytes * run.count));
    }
    return true;
}

} // namespace

std::uint64_t carry_out(const Fetch& fetch)
{
    return fetch.width == 4 ? change<std::uint32_t>(fetch) : change<std::uint64_t>(fetch);
}

bool carry_out(Kind kind, std::span<const std::byte> message, std::uint64_t& old)
{
    Fetch fetch{};
    switch (kind) {
    case Kind::accumulate:
        return add_all(message);
    case Kind::fetch:
        if (!take(message, fetch) || !message.empty() || (fetch.width != 4 && fetch.width != 8))
            return false;
        old = carry_out(fetch);
        return true;
    case Kind::ask:
        return message.empty();
    case Kind::put: // the server has their data
    case Kind::get:
        break;
    }
    return false;
}

} // namespace armci::gmr::active_messages
