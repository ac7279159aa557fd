// Shared file: memory without a lasting name that one process makes and other processes of its machine open.
//
// Two kinds. A memfd is opened through /proc: the processes must see one another there. POSIX shared memory
// is opened by its name in /dev/shm, which must be one and the same for all; the maker unlinks the name as
// soon as the others have tried.
#pragma once

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <cstddef>
#include <cstdint>

namespace armci::shared_file {

enum class Kind { memfd, posix_shm };

// Device and inode.
struct Identity {
    unsigned long long device = 0;
    unsigned long long inode = 0;
    bool operator==(const Identity&) const = default;
};

// What the maker tells the others. Plain bytes, for MPI to carry.
struct Offer {
    Kind kind;
    int fd;    // the maker's
    int error; // why there is none
    long pid;
    Identity identity;
    char name[64];
};

// Makes a file of `length` bytes. Returns its descriptor, or -1 with the reason in `offer`.
int make(Kind kind, std::size_t length, Offer& offer);

// Opens what another process made. Returns -1, with errno, where this process cannot or has another file of
// that name.
int open(const Offer& offer);

// Removes the name, for the maker to call when all have tried to open it.
void unlink(const Offer& offer);

// Whether a file may have so many bytes. Exceeding the limit on file sizes would kill the process.
bool allows(const rlimit& limit, std::size_t length);

// Bytes that the file system can still take. One that gives no plausible figure, as that of memfds, has no
// limit: UINT64_MAX.
std::uint64_t room(const struct statvfs& system);

} // namespace armci::shared_file
