#include "armci/base/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace armci::shared_file {
namespace {

int sized(int fd, std::size_t length)
{
    if (fd < 0)
        return fd;
    rlimit limit{};
    int error = EFBIG;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || allows(limit, length)) {
        if (ftruncate(fd, static_cast<off_t>(length)) == 0)
            return fd;
        error = errno;
    }
    close(fd);
    errno = error;
    return -1;
}

// What tells a file apart from all others of this machine.
Identity identity_of(const struct stat& status)
{
    return {static_cast<unsigned long long>(status.st_dev), static_cast<unsigned long long>(status.st_ino)};
}

// Containers that share /dev/shm may all have the pid 1, so the name has a random part.
unsigned long long random_part()
{
    unsigned long long value = 0;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof value))
        value = reinterpret_cast<std::uintptr_t>(&value);
    return value;
}

} // namespace

int make(Kind kind, std::size_t length, Offer& offer)
{
    offer = Offer{kind, -1, 0, static_cast<long>(getpid()), {}, {}};
    int fd = -1;
    if (kind == Kind::memfd) {
        fd = memfd_create("armci-arena", MFD_CLOEXEC);
    } else {
        std::snprintf(offer.name, sizeof offer.name, "/armci-%ld-%llx", offer.pid, random_part());
        fd = shm_open(offer.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    offer.fd = sized(fd, length);
    offer.error = offer.fd < 0 ? errno : 0;
    struct stat status {};
    if (offer.fd < 0)
        unlink(offer);
    else if (fstat(offer.fd, &status) == 0)
        offer.identity = identity_of(status);
    return offer.fd;
}

// Looks before it opens: in another pid namespace a strange process may have that number, and any file open.
int open(const Offer& offer)
{
    char path[80];
    if (offer.kind == Kind::memfd)
        std::snprintf(path, sizeof path, "/proc/%ld/fd/%d", offer.pid, offer.fd);
    else
        std::snprintf(path, sizeof path, "/dev/shm%s", offer.name);
    struct stat status {};
    if (stat(path, &status) != 0)
        return -1;
    if (identity_of(status) != offer.identity) {
        errno = ESTALE;
        return -1;
    }
    return offer.kind == Kind::memfd ? ::open(path, O_RDWR | O_CLOEXEC)
                                     : shm_open(offer.name, O_RDWR | O_CLOEXEC, 0600);
}

void unlink(const Offer& offer)
{
    if (offer.name[0] != '\0')
        shm_unlink(offer.name);
}

bool allows(const rlimit& limit, std::size_t length)
{
    return limit.rlim_cur == RLIM_INFINITY || length <= limit.rlim_cur;
}

std::uint64_t room(const struct statvfs& system)
{
    std::uint64_t bytes = 0;
    if (system.f_blocks == 0 || system.f_frsize == 0 || system.f_bavail > system.f_blocks ||
        __builtin_mul_overflow(std::uint64_t{system.f_bavail}, std::uint64_t{system.f_frsize}, &bytes))
        return UINT64_MAX;
    return bytes;
}

} // namespace armci::shared_file
