// Broken pipe: an MPI that writes to a connection whose other end is gone ends by SIGPIPE, and its launcher
// says "Broken pipe" of a rank that did nothing wrong (Open MPI 4, when a host is lost). A handler, where the
// program has none, says first what that means; the process then ends by the signal, as without it.
#pragma once

namespace armci {

// One at a time.
class BrokenPipe {
public:
    BrokenPipe();
    ~BrokenPipe();
    BrokenPipe(const BrokenPipe&) = delete;
    BrokenPipe& operator=(const BrokenPipe&) = delete;
};

} // namespace armci
