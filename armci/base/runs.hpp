// Runs: a number for each process, kept by runs of processes that have the same one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace armci {

// One run, as where all are alike, needs no memory of its own.
class Runs {
public:
    Runs() = default;
    explicit Runs(const std::vector<std::uint64_t>& each)
    {
        if (each.empty())
            return;
        first_value_ = each.front();
        const auto is_new = [&each](std::size_t i) { return each[i] != each[i - 1]; };
        std::size_t count = 0;
        for (std::size_t i = 1; i < each.size(); ++i)
            count += is_new(i) ? 1 : 0;
        later_.reserve(count);
        for (std::size_t i = 1; i < each.size(); ++i)
            if (is_new(i))
                later_.emplace_back(static_cast<std::uint32_t>(i), each[i]);
    }

    // From runs of (how many processes, their number).
    explicit Runs(const std::vector<std::pair<std::size_t, std::uint64_t>>& runs)
    {
        std::size_t index = 0;
        std::uint64_t last = 0;
        for (const auto& [count, value] : runs) {
            if (count == 0)
                continue;
            if (index == 0)
                first_value_ = value;
            else if (value != last)
                later_.emplace_back(static_cast<std::uint32_t>(index), value);
            last = value;
            index += count;
        }
        later_.shrink_to_fit();
    }

    std::uint64_t of(int index) const
    {
        if (later_.empty())
            return first_value_;
        const auto after =
            std::upper_bound(later_.begin(), later_.end(), static_cast<std::uint32_t>(index),
                             [](std::uint32_t wanted, const Run& run) { return wanted < run.first; });
        return after == later_.begin() ? first_value_ : (after - 1)->value();
    }
    // Of as many processes.
    bool operator==(const Runs&) const = default;
    // Runs after the first.
    std::size_t later_runs() const { return later_.size(); }

private:
    // Of 12 bytes: a table in which all differ is no more than half as large again as the numbers.
    struct Run {
        Run(std::uint32_t index, std::uint64_t value)
            : first(index), low(static_cast<std::uint32_t>(value)),
              high(static_cast<std::uint32_t>(value >> 32))
        {
        }
        bool operator==(const Run&) const = default;
        std::uint64_t value() const { return std::uint64_t{high} << 32 | low; }
        std::uint32_t first;
        std::uint32_t low, high;
    };

    std::uint64_t first_value_ = 0;
    std::vector<Run> later_; // ascending
};

} // namespace armci
