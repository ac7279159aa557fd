// A global array with an owner, and patches of it, in terms of std::vector.
#pragma once

#include <ga.h>
#include <macdecls.h>

#include <complex>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace ga {

using Index = std::vector<int>;

template <class T>
inline constexpr int type_code = 0;
template <>
inline constexpr int type_code<int> = C_INT;
template <>
inline constexpr int type_code<long> = C_LONG;
template <>
inline constexpr int type_code<float> = C_FLOAT;
template <>
inline constexpr int type_code<double> = C_DBL;
template <>
inline constexpr int type_code<std::complex<float>> = C_SCPL;
template <>
inline constexpr int type_code<std::complex<double>> = C_DCPL;

// A box of elements, both corners included.
struct Patch {
    Index lo, hi;

    int extent(std::size_t d) const { return hi[d] - lo[d] + 1; }
    Index extents() const;
    std::size_t elements() const;
    bool empty() const;
    bool contains(const Index& i) const;
};

// All of an array.
Patch whole(const Index& dims);
// A patch of up to `longest` elements along each dimension.
Patch random_patch(const Index& dims, std::mt19937_64& generator, int longest = 1 << 30);
// Where element `i` of an array of `dims` lies, in row-major order.
std::size_t position(const Index& i, const Index& dims);
// Steps `i` through a patch in row-major order; false at the end.
bool next(Index& i, const Patch& patch);

// Creating and destroying are collective over the group.
class Array {
public:
    Array(int type, Index dims, int group = GA_Pgroup_get_default(), const Index& smallest_block = {});
    // `blocks` along each dimension, and where each begins.
    static Array irregular(int type, Index dims, Index blocks, Index begins);
    ~Array();
    Array(Array&& other) noexcept : handle_(std::exchange(other.handle_, 0)), dims_(std::move(other.dims_)) {}
    Array& operator=(Array&&) = delete;

    int handle() const { return handle_; }
    const Index& dims() const { return dims_; }
    // What a process (of the array's group) owns; empty if nothing.
    Patch owned_by(int process) const;
    int owner(Index i) const { return NGA_Locate(handle_, i.data()); }

private:
    Array() = default;

    int handle_ = 0;
    Index dims_;
};

// A local buffer for a patch, possibly wider: `padding` more elements along each dimension but the first.
template <class T>
struct Buffer {
    Patch patch;
    Index ld; // as GA wants it, one fewer than dimensions
    std::vector<T> data;

    Buffer(Patch p, int padding, T filler) : patch(std::move(p))
    {
        std::size_t n = patch.extent(0);
        for (std::size_t d = 1; d < patch.lo.size(); ++d) {
            ld.push_back(patch.extent(d) + padding);
            n *= ld.back();
        }
        data.assign(n, filler);
        ld.push_back(0); // never looked at; keeps data() valid for one dimension
    }

    std::size_t offset(const Index& i) const
    {
        std::size_t at = i[0] - patch.lo[0];
        for (std::size_t d = 1; d < i.size(); ++d)
            at = at * ld[d - 1] + (i[d] - patch.lo[d]);
        return at;
    }
    T& operator[](const Index& i) { return data[offset(i)]; }
};

template <class T>
void put(const Array& a, Buffer<T>& b)
{
    NGA_Put(a.handle(), b.patch.lo.data(), b.patch.hi.data(), b.data.data(), b.ld.data());
}

template <class T>
void get(const Array& a, Buffer<T>& b)
{
    NGA_Get(a.handle(), b.patch.lo.data(), b.patch.hi.data(), b.data.data(), b.ld.data());
}

template <class T>
void accumulate(const Array& a, Buffer<T>& b, T scale)
{
    NGA_Acc(a.handle(), b.patch.lo.data(), b.patch.hi.data(), b.data.data(), b.ld.data(), &scale);
}

// All of an array, in row-major order.
template <class T>
std::vector<T> get_all(const Array& a)
{
    Buffer<T> all(whole(a.dims()), 0, T());
    get(a, all);
    return std::move(all.data);
}

template <class T>
T get_one(const Array& a, const Index& i)
{
    Buffer<T> one(Patch{i, i}, 0, T());
    get(a, one);
    return one.data[0];
}

template <class T>
void put_one(const Array& a, const Index& i, T value)
{
    Buffer<T> one(Patch{i, i}, 0, value);
    put(a, one);
}

} // namespace ga
