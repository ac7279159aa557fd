// Fifo: a queue that keeps memory for what it holds, give or take a few times. Each connection has several,
// most of them empty, and some never are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace armci::gmr::active_messages {

template <class T>
class Fifo {
public:
    bool empty() const { return first_ == items_.size(); }
    std::size_t size() const { return items_.size() - first_; }
    T& front() { return items_[first_]; }
    const T& front() const { return items_[first_]; }
    std::size_t room() const { return items_.capacity(); }
    void push(const T& item) { items_.push_back(item); }
    void pop()
    {
        if (++first_ == items_.size() && items_.capacity() > most_kept)
            items_ = std::vector<T>(); // {} would keep its memory
        else if (first_ * 2 < items_.size())
            return;
        else
            drop_popped();
        first_ = 0;
    }

private:
    void drop_popped()
    {
        const auto first = items_.begin() + static_cast<std::ptrdiff_t>(first_);
        if (items_.capacity() > std::max(most_kept, 8 * size()))
            items_ = std::vector<T>(first, items_.end());
        else
            items_.erase(items_.begin(), first);
    }

    static constexpr std::size_t most_kept = 4;

    std::vector<T> items_;
    std::size_t first_ = 0;
};

} // namespace armci::gmr::active_messages
