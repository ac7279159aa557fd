#include "strided/datatype.hpp"

#include "gmr/network/rma.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace armci::strided {
namespace {

constexpr std::size_t most_kept = 64;

struct Kept {
    Side side;
    MPI_Datatype element;
    Datatype type;
};

// Not destroyed at exit: MPI may have ended before.
struct Cache {
    std::mutex guard;
    std::deque<Kept> kept; // the latest first
};
Cache& cache()
{
    static Cache* const all = new Cache;
    return *all;
}

MPI_Datatype vector_of_vectors(const Side& side, int elements, MPI_Datatype element)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_contiguous(elements, element, &type), "MPI_Type_contiguous");
    for (int i = 0; i < side.levels; ++i) {
        const auto n = static_cast<std::size_t>(i);
        MPI_Datatype below = type;
        mpi::check(MPI_Type_create_hvector(static_cast<int>(side.count[n]), 1,
                                           static_cast<MPI_Aint>(side.stride[n]), below, &type),
                   "MPI_Type_create_hvector");
        mpi::check(MPI_Type_free(&below), "MPI_Type_free");
    }
    return type;
}

Datatype make(const Side& side, MPI_Datatype element)
{
    const auto elements = static_cast<int>(side.segment / static_cast<std::int64_t>(mpi::size_of(element)));
    return std::make_shared<mpi::Datatype>(vector_of_vectors(side, elements, element));
}

} // namespace

bool is_packed(const Side& side)
{
    std::int64_t bytes = side.segment;
    for (int i = 0; i < side.levels; ++i) {
        const auto n = static_cast<std::size_t>(i);
        if (side.stride[n] != bytes)
            return false;
        bytes *= side.count[n];
    }
    return true;
}

MPI_Datatype widest_element(const Side& one, const Side& other, std::uint64_t places)
{
    std::uint64_t bits = places | static_cast<std::uint64_t>(one.segment);
    for (std::size_t i = 0; i < static_cast<std::size_t>(one.levels); ++i)
        bits |= static_cast<std::uint64_t>(one.stride[i]) | static_cast<std::uint64_t>(other.stride[i]);
    return gmr::rma::widest_element(bits);
}

int elements_in(const Shape& shape, MPI_Datatype element)
{
    return static_cast<int>(static_cast<std::size_t>(shape.bytes()) / mpi::size_of(element));
}

Datatype datatype_of(const Side& side, MPI_Datatype element)
{
    Cache& all = cache();
    const std::lock_guard lock(all.guard);
    const auto found = std::find_if(all.kept.begin(), all.kept.end(), [&](const Kept& one) {
        return one.element == element && one.side == side;
    });
    if (found != all.kept.end())
        return found->type;
    if (all.kept.size() == most_kept)
        all.kept.pop_back();
    return all.kept.emplace_front(Kept{side, element, make(side, element)}).type;
}

Described describe(const Shape& shape, const Side& side, MPI_Datatype element)
{
    if (is_packed(side))
        return {nullptr, element, elements_in(shape, element)};
    Datatype kept = datatype_of(side, element);
    const MPI_Datatype type = kept->get();
    return {std::move(kept), type, 1};
}

void forget_datatypes()
{
    Cache& all = cache();
    const std::lock_guard lock(all.guard);
    all.kept.clear();
}

} // namespace armci::strided
