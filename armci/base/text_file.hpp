// Small text files, without the streams of C++: those would be three quarters of libarmci.a.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace armci {

// All that it holds; empty where it cannot be read.
inline std::string read_text(const std::string& path)
{
    std::string text;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
    if (file == nullptr)
        return text;
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, file.get()))
        text.append(part, got);
    return text;
}

} // namespace armci
