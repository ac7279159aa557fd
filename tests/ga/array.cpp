#include "tests/ga/array.hpp"

#include <algorithm>
#include <string>

namespace ga {

Index Patch::extents() const
{
    Index n(lo.size());
    for (std::size_t d = 0; d < lo.size(); ++d)
        n[d] = extent(d);
    return n;
}

std::size_t Patch::elements() const
{
    std::size_t n = 1;
    for (std::size_t d = 0; d < lo.size(); ++d)
        n *= static_cast<std::size_t>(std::max(0, extent(d)));
    return n;
}

bool Patch::empty() const
{
    return elements() == 0;
}

bool Patch::contains(const Index& i) const
{
    for (std::size_t d = 0; d < lo.size(); ++d)
        if (i[d] < lo[d] || i[d] > hi[d])
            return false;
    return true;
}

Patch whole(const Index& dims)
{
    Patch p{Index(dims.size(), 0), dims};
    for (int& h : p.hi)
        --h;
    return p;
}

Patch random_patch(const Index& dims, std::mt19937_64& generator, int longest)
{
    Patch p{dims, dims};
    for (std::size_t d = 0; d < dims.size(); ++d) {
        const int length = std::uniform_int_distribution<int>(1, std::min(dims[d], longest))(generator);
        p.lo[d] = std::uniform_int_distribution<int>(0, dims[d] - length)(generator);
        p.hi[d] = p.lo[d] + length - 1;
    }
    return p;
}

std::size_t position(const Index& i, const Index& dims)
{
    std::size_t at = 0;
    for (std::size_t d = 0; d < dims.size(); ++d)
        at = at * dims[d] + i[d];
    return at;
}

bool next(Index& i, const Patch& patch)
{
    for (std::size_t d = i.size(); d-- > 0;) {
        if (++i[d] <= patch.hi[d])
            return true;
        i[d] = patch.lo[d];
    }
    return false;
}

namespace {

// GA takes names and the like as char*.
char* array_name()
{
    static char name[] = "array";
    return name;
}

int or_end(int handle)
{
    if (handle == 0) {
        std::string text = "array could not be created";
        GA_Error(text.data(), 1);
    }
    return handle;
}

} // namespace

Array::Array(int type, Index dims, int group, const Index& smallest_block) : dims_(std::move(dims))
{
    Index chunk = smallest_block;
    chunk.resize(dims_.size(), -1);
    handle_ = or_end(NGA_Create_config(type, static_cast<int>(dims_.size()), dims_.data(), array_name(),
                                       chunk.data(), group));
}

Array Array::irregular(int type, Index dims, Index blocks, Index begins)
{
    Array a;
    a.dims_ = std::move(dims);
    a.handle_ = or_end(NGA_Create_irreg(type, static_cast<int>(a.dims_.size()), a.dims_.data(), array_name(),
                                        blocks.data(), begins.data()));
    return a;
}

Array::~Array()
{
    if (handle_ != 0)
        GA_Destroy(handle_);
}

Patch Array::owned_by(int process) const
{
    Patch p{dims_, dims_};
    NGA_Distribution(handle_, process, p.lo.data(), p.hi.data());
    return p;
}

} // namespace ga
