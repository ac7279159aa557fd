// What a self-test found wrong on this process.
#pragma once

namespace armci::tools {

// Says it on stderr, unless this process has said a few things already.
[[gnu::format(printf, 1, 2)]] void wrong(const char* format, ...);

int wrong_here(); // so many

} // namespace armci::tools
