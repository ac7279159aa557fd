#include "armci/base/record_runs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace armci::record_runs {
namespace {

using Count = std::uint32_t;

Count count_at(const std::byte* run)
{
    Count count = 0;
    std::memcpy(&count, run, sizeof count);
    return count;
}

void append_run(Bytes& runs, Count count, const std::byte* record, std::size_t each)
{
    if (count == 0)
        return;
    const std::size_t run = sizeof count + each;
    if (runs.size() >= run && std::memcmp(runs.data() + runs.size() - each, record, each) == 0) {
        std::byte* const last = runs.data() + runs.size() - run;
        const Count both = count_at(last) + count;
        std::memcpy(last, &both, sizeof both);
        return;
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(&count);
    if (runs.empty())
        runs.reserve(run);
    runs.insert(runs.end(), bytes, bytes + sizeof count);
    runs.insert(runs.end(), record, record + each);
}

} // namespace

void append(Bytes& runs, const std::byte* records, std::size_t count, std::size_t each)
{
    for (std::size_t i = 0; i < count; ++i)
        append_run(runs, 1, records + i * each, each);
}

void append(Bytes& runs, std::span<const std::byte> others, std::size_t each)
{
    for (std::size_t at = 0; at < others.size(); at += sizeof(Count) + each)
        append_run(runs, count_at(&others[at]), &others[at + sizeof(Count)], each);
}

std::pair<Bytes, Bytes> split(const Bytes& runs, std::size_t count, std::size_t each)
{
    std::pair<Bytes, Bytes> parts;
    std::size_t left = count;
    for (std::size_t at = 0; at < runs.size(); at += sizeof(Count) + each) {
        const Count all = count_at(&runs[at]);
        const std::byte* const record = &runs[at + sizeof(Count)];
        const auto first = static_cast<Count>(std::min<std::size_t>(left, all));
        append_run(parts.first, first, record, each);
        append_run(parts.second, all - first, record, each);
        left -= first;
    }
    return parts;
}

void expand(std::span<const std::byte> runs, std::size_t each, std::byte* records)
{
    for (std::size_t at = 0; at < runs.size(); at += sizeof(Count) + each)
        for (Count left = count_at(&runs[at]); left > 0; --left, records += each)
            std::memcpy(records, &runs[at + sizeof(Count)], each);
}

} // namespace armci::record_runs
