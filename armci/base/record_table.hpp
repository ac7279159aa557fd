// Record table: a record of each process, kept by runs of processes whose records are equal. It is what an
// exchange gives: a table of allocations is mostly one run, however many processes there are.
#pragma once

#include "armci/base/record_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace armci {

template <class Record>
class RecordTable {
public:
    // The processes from `first` on have `record`, up to the next run.
    struct Run {
        std::size_t first;
        std::size_t count;
        Record record;
    };

    RecordTable() = default;
    // Takes runs as record_runs has them.
    explicit RecordTable(std::span<const std::byte> runs)
    {
        constexpr std::size_t each = record_runs::most_bytes(1, sizeof(Record));
        runs_.reserve(runs.size() / each);
        for (std::size_t at = 0; at < runs.size(); at += each) {
            std::uint32_t count = 0;
            std::memcpy(&count, &runs[at], sizeof count);
            Run& run = runs_.emplace_back(Run{size_, count, {}});
            std::memcpy(&run.record, &runs[at + sizeof count], sizeof(Record));
            size_ += count;
        }
    }

    std::size_t size() const { return size_; }
    const std::vector<Run>& runs() const { return runs_; }
    const Record& operator[](std::size_t process) const
    {
        const auto after =
            std::upper_bound(runs_.begin(), runs_.end(), process,
                             [](std::size_t wanted, const Run& run) { return wanted < run.first; });
        return (after - 1)->record;
    }
    // Finds the first run whose record is `wanted`; null where there is none.
    template <class Wanted>
    const Run* find(Wanted wanted) const
    {
        const auto found =
            std::find_if(runs_.begin(), runs_.end(), [&](const Run& run) { return wanted(run.record); });
        return found == runs_.end() ? nullptr : &*found;
    }
    template <class Wanted>
    bool any(Wanted wanted) const
    {
        return find(wanted) != nullptr;
    }

private:
    std::size_t size_ = 0;
    std::vector<Run> runs_; // ascending
};

} // namespace armci
