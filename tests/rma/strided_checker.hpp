// Runs strided cases on one area of a process and compares every byte of the area, and some around it, with
// what a serial program leaves.
#pragma once

#include "tests/rma/accumulate_types.hpp"
#include "tests/rma/region.hpp"
#include "tests/rma/strided_case.hpp"

#include <algorithm>

namespace armci_test {

class StridedChecker {
public:
    static constexpr long area = 72 * 1024, middle = area / 2, guard = 64;

    // `at` is `area` bytes of global memory of `process` that nobody else touches.
    StridedChecker(std::byte* at, int process)
        : at_(at), process_(process), model_(pattern_bytes(17, area)), buffer_(pattern_bytes(18, area))
    {
        store(model_, at_, process_);
    }

    void put(StridedCase c)
    {
        refresh(window(c, c.source));
        ASSERT_EQ(0, ARMCI_PutS(&buffer_[middle], c.source.data(), at_ + middle, c.target.data(),
                                c.count.data(), c.levels(), process_));
        c.each_segment(
            [&](long from, long to) { std::copy_n(place(buffer_, from), c.count[0], place(model_, to)); });
        expect_target("PutS", c);
    }

    void get(StridedCase c)
    {
        const Window seen = window(c, c.target);
        refresh(seen);
        const std::vector<std::byte> before(place(buffer_, seen.first), place(buffer_, seen.last));
        ASSERT_EQ(0, ARMCI_GetS(at_ + middle, c.source.data(), &buffer_[middle], c.target.data(),
                                c.count.data(), c.levels(), process_));
        auto wanted = before;
        c.each_segment([&](long from, long to) {
            std::copy_n(place(model_, from), c.count[0], wanted.begin() + (to - seen.first));
        });
        compare("GetS", c, seen,
                std::vector<std::byte>(place(buffer_, seen.first), place(buffer_, seen.last)), wanted);
    }

    // What takes part is small whole numbers of type T.
    template <class T>
    void accumulate(StridedCase c, T scale)
    {
        ++salt_;
        fill<T>(buffer_, window(c, c.source), salt_);
        const Window seen = window(c, c.target);
        fill<T>(model_, seen, salt_ + 5);
        store({place(model_, seen.first), place(model_, seen.last)}, at_ + middle + seen.first, process_);
        ASSERT_EQ(0, ARMCI_AccS(accumulate_type<T>(), &scale, &buffer_[middle], c.source.data(), at_ + middle,
                                c.target.data(), c.count.data(), c.levels(), process_));
        c.each_segment([&](long from, long to) {
            for (long i = 0; i < c.count[0]; i += static_cast<long>(sizeof(T))) {
                T sum, term;
                std::memcpy(&sum, &*place(model_, to + i), sizeof(T));
                std::memcpy(&term, &*place(buffer_, from + i), sizeof(T));
                sum += scale * term;
                std::memcpy(&*place(model_, to + i), &sum, sizeof(T));
            }
        });
        expect_target("AccS", c);
    }

private:
    // Offsets from the middle: what a side spans, and the guards beside it.
    struct Window {
        long first, last;
    };
    static Window window(const StridedCase& c, const std::vector<int>& strides)
    {
        const Span span = span_of(c.count, strides);
        return {-span.below - guard, span.above + guard};
    }
    static std::vector<std::byte>::iterator place(std::vector<std::byte>& bytes, long offset)
    {
        return bytes.begin() + (middle + offset);
    }

    void refresh(const Window& seen)
    {
        ++salt_;
        for (long i = seen.first; i < seen.last; ++i)
            *place(buffer_, i) = pattern(salt_, static_cast<std::uint64_t>(middle + i));
    }

    template <class T>
    static void fill(std::vector<std::byte>& bytes, const Window& seen, std::uint64_t salt)
    {
        for (long i = seen.first; i + static_cast<long>(sizeof(T)) <= seen.last;
             i += static_cast<long>(sizeof(T))) {
            const T value = small_value<T>(salt + static_cast<std::size_t>(middle + i) / sizeof(T));
            std::memcpy(&*place(bytes, i), &value, sizeof(T));
        }
    }

    // The whole area now and then.
    void expect_target(const char* call, const StridedCase& c)
    {
        const Window seen = salt_ % 64 == 0 ? Window{-middle, area - middle} : window(c, c.target);
        const auto got =
            fetch(at_ + middle + seen.first, static_cast<std::size_t>(seen.last - seen.first), process_);
        compare(call, c, seen, got, {place(model_, seen.first), place(model_, seen.last)});
    }

    static void compare(const char* call, const StridedCase& c, const Window& seen,
                        const std::vector<std::byte>& got, const std::vector<std::byte>& wanted)
    {
        const auto [bad, right] = std::mismatch(got.begin(), got.end(), wanted.begin());
        if (bad != got.end())
            FAIL() << call << ": byte " << bad - got.begin() + seen.first << " is "
                   << std::to_integer<int>(*bad) << ", not " << std::to_integer<int>(*right) << ": "
                   << c.text();
    }

    std::byte* at_;
    int process_;
    std::vector<std::byte> model_, buffer_;
    std::uint64_t salt_ = 0;
};

} // namespace armci_test
