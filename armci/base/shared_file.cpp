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

// What tells the file apart from all others of this machine; zeros where there is none.
Identity identity_of(int fd)
{
    struct stat status {};
    if (fd < 0 || fstat(fd, &status) != 0)
        return {};
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
    offer.identity = identity_of(offer.fd);
    if (offer.fd < 0)
        unlink(offer);
    return offer.fd;
}

int open(const Offer& offer)
{
    int fd = -1;
    if (offer.kind == Kind::memfd) {
        char path[64];
        std::snprintf(path, sizeof path, "/proc/%ld/fd/%d", offer.pid, offer.fd);
        fd = ::open(path, O_RDWR | O_CLOEXEC);
    } else {
        fd = shm_open(offer.name, O_RDWR | O_CLOEXEC, 0600);
    }
    if (fd >= 0 && identity_of(fd) != offer.identity) {
        close(fd); // a process of another pid namespace answers to that number
        errno = ESTALE;
        return -1;
    }
    return fd;
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
