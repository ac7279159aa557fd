// Transfers beyond 2^31 bytes: 3 GiB strided, 2^31 bytes and more as a vector, 3 GiB that folds into one
// contiguous run, and the largest contiguous put and get across the 2 GiB mark of a slice. Two ranks, about 7
// GiB of memory.
//
// TEST_HUGE=1 asks for it; otherwise the status is 77, for a skipped test.
#include <armci.h>
#include <mpi.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

constexpr long mebi = 1L << 20, gibi = 1L << 30;
constexpr long slice = 3 * gibi + 16 * mebi;

int rank;
long wrong = 0;

// What belongs at each place of a long run, eight bytes at a time; places and lengths are multiples of 8.
std::uint64_t word(std::uint64_t salt, long place)
{
    return (static_cast<std::uint64_t>(place / 8) + 1) * 0x9e3779b97f4a7c15u + salt * 0xd1b54a32d192ed03u;
}

void fill(std::byte* at, std::uint64_t salt, long place, long bytes)
{
    for (long i = 0; i < bytes; i += 8) {
        const std::uint64_t value = word(salt, place + i);
        std::memcpy(at + i, &value, sizeof value);
    }
}

void expect(const char* what, const std::byte* at, std::uint64_t salt, long place, long bytes)
{
    for (long i = 0; i < bytes; i += 8) {
        std::uint64_t value;
        std::memcpy(&value, at + i, sizeof value);
        if (value == word(salt, place + i))
            continue;
        if (++wrong < 10)
            std::printf("[rank %d] %s: wrong at place %ld\n", rank, what, place + i);
        return;
    }
}

// Rows and gaps of what the target received: row r holds the run from place r * shift.
void expect_rows(const char* what, const std::byte* at, std::uint64_t salt, long shift, long bytes,
                 long stride, long rows)
{
    for (long row = 0; row < rows; ++row) {
        expect(what, at + row * stride, salt, row * shift, bytes);
        for (long i = bytes; i < stride && row < rows - 1; ++i)
            if (at[row * stride + i] != std::byte{0} && ++wrong < 10)
                std::printf("[rank %d] %s: byte %ld of the gap after row %ld was touched\n", rank, what, i,
                            row);
    }
}

void say(const char* what, double start)
{
    if (rank == 0)
        std::printf("huge_transfers: %s, %.1f s\n", what, MPI_Wtime() - start);
    std::fflush(stdout);
}

// Rank 0 moves, rank 1 owns and looks.
class Halls {
public:
    Halls()
    {
        ARMCI_Malloc(bases_, rank == 1 ? slice : 8);
        buffer_ = static_cast<std::byte*>(rank == 0 ? std::malloc(slice) : nullptr);
        clear();
    }
    ~Halls()
    {
        std::free(buffer_);
        ARMCI_Free(bases_[rank]);
    }
    Halls(const Halls&) = delete;
    Halls& operator=(const Halls&) = delete;

    void clear()
    {
        ARMCI_Barrier();
        if (rank == 1)
            std::memset(bases_[1], 0, slice);
        ARMCI_Barrier();
    }
    std::byte* there() const { return static_cast<std::byte*>(bases_[1]); }
    std::byte* buffer() const { return buffer_; }

private:
    void* bases_[2] = {};
    std::byte* buffer_;
};

// 2048 rows of 1.5 MiB. Rows of the source overlap, each a word further on, so it is small and each row is
// different.
void strided(Halls& halls)
{
    const double start = MPI_Wtime();
    constexpr int bytes = 3 * mebi / 2, rows = 2048, shift = 8, gap = 4096;
    int overlapping[] = {shift}, far[] = {bytes + gap}, near[] = {bytes}, count[] = {bytes, rows};
    if (rank == 0) {
        fill(halls.buffer(), 1, 0, bytes + rows * shift);
        ARMCI_PutS(halls.buffer(), overlapping, halls.there(), far, count, 1, 1);
        ARMCI_Fence(1);
    }
    ARMCI_Barrier();
    if (rank == 1)
        expect_rows("strided put of 3 GiB", halls.there(), 1, shift, bytes, bytes + gap, rows);
    if (rank == 0) {
        std::memset(halls.buffer(), 0, slice);
        ARMCI_GetS(halls.there(), far, halls.buffer(), near, count, 1, 1);
        expect_rows("strided get of 3 GiB", halls.buffer(), 1, shift, bytes, bytes, rows);
    }
    halls.clear();
    say("strided put and get, 3 GiB each", start);
}

// 2^31 + 2^20 bytes in 2049 segments.
void vector(Halls& halls)
{
    const double start = MPI_Wtime();
    constexpr long bytes = mebi, segments = 2049, shift = 16, stride = bytes + 64;
    std::vector<void*> out, in, remote;
    for (long i = 0; i < segments; ++i) {
        out.push_back(halls.buffer() + i * shift);
        in.push_back(halls.buffer() + i * bytes);
        remote.push_back(halls.there() + i * stride);
    }
    armci_giov_t put{out.data(), remote.data(), bytes, segments},
        get{remote.data(), in.data(), bytes, segments};
    if (rank == 0) {
        fill(halls.buffer(), 2, 0, bytes + segments * shift);
        ARMCI_PutV(&put, 1, 1);
        ARMCI_Fence(1);
    }
    ARMCI_Barrier();
    if (rank == 1)
        expect_rows("vector put of 2^31 + 2^20 bytes", halls.there(), 2, shift, bytes, stride, segments);
    if (rank == 0) {
        std::memset(halls.buffer(), 0, slice);
        ARMCI_GetV(&get, 1, 1);
        expect_rows("vector get of 2^31 + 2^20 bytes", halls.buffer(), 2, shift, bytes, bytes, segments);
    }
    halls.clear();
    say("vector put and get, 2^31 + 2^20 bytes each", start);
}

// Strides equal to the segment: one contiguous run of 3 GiB.
void folded(Halls& halls)
{
    const double start = MPI_Wtime();
    int stride[] = {mebi}, count[] = {mebi, 3072};
    if (rank == 0) {
        fill(halls.buffer(), 3, 0, 3 * gibi);
        ARMCI_PutS(halls.buffer(), stride, halls.there(), stride, count, 1, 1);
        ARMCI_Fence(1);
    }
    ARMCI_Barrier();
    if (rank == 1)
        expect("folded put of 3 GiB", halls.there(), 3, 0, 3 * gibi);
    if (rank == 0) {
        std::memset(halls.buffer(), 0, slice);
        ARMCI_GetS(halls.there(), stride, halls.buffer(), stride, count, 1, 1);
        expect("folded get of 3 GiB", halls.buffer(), 3, 0, 3 * gibi);
    }
    halls.clear();
    say("put and get that fold into one run, 3 GiB each", start);
}

// As many bytes as an int can say, less what breaks the pattern, from 1 GiB on.
void contiguous(Halls& halls)
{
    const double start = MPI_Wtime();
    constexpr int bytes = INT_MAX - 7;
    std::byte* const there = halls.there() + gibi;
    if (rank == 0) {
        fill(halls.buffer(), 4, 0, bytes);
        ARMCI_Put(halls.buffer(), there, bytes, 1);
        ARMCI_Fence(1);
    }
    ARMCI_Barrier();
    if (rank == 1) {
        expect("contiguous put of 2^31 - 8 bytes", there, 4, 0, bytes);
        if (there[-1] != std::byte{0} || there[bytes] != std::byte{0}) {
            std::printf("contiguous put: bytes beside it were touched\n");
            ++wrong;
        }
    }
    if (rank == 0) {
        std::memset(halls.buffer(), 0, slice);
        ARMCI_Get(there, halls.buffer(), bytes, 1);
        expect("contiguous get of 2^31 - 8 bytes", halls.buffer(), 4, 0, bytes);
    }
    ARMCI_Barrier();
    say("contiguous put and get, 2^31 - 8 bytes each", start);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* const wanted = std::getenv("TEST_HUGE");
    if (wanted == nullptr || std::strcmp(wanted, "1") != 0) {
        if (rank == 0)
            std::printf(
                "huge_transfers: skipped: takes 7 GiB of memory and a while; TEST_HUGE=1 asks for it\n");
        MPI_Finalize();
        return 77;
    }
    ARMCI_Init();
    {
        Halls halls;
        strided(halls);
        vector(halls);
        folded(halls);
        contiguous(halls);
    }
    ARMCI_Finalize();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("huge_transfers: %s\n", wrong == 0 ? "all right" : "WRONG");
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
