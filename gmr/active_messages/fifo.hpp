// Fifo: a queue that keeps next to no memory while it is empty, as each connection has several.
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
    void push(const T& item) { items_.push_back(item); }
    void pop()
    {
        if (++first_ < items_.size())
            return;
        first_ = 0;
        if (items_.capacity() > most_kept)
            items_ = {};
        else
            items_.clear();
    }

private:
    static constexpr std::size_t most_kept = 4;

    std::vector<T> items_;
    std::size_t first_ = 0;
};

} // namespace armci::gmr::active_messages
