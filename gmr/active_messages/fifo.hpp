// Fifo: a queue that keeps next to no memory while it is empty, as each connection has several, and no more
// than twice what it holds while it never is.
#pragma once

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
        else if (first_ * 2 >= items_.size())
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        else
            return;
        first_ = 0;
    }

private:
    static constexpr std::size_t most_kept = 4;

    std::vector<T> items_;
    std::size_t first_ = 0;
};

} // namespace armci::gmr::active_messages
