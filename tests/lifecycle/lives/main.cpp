// lives <way>: starts and ends as the way says. Ends with status 0 if all went as it should.
#include "lives.hpp"

#include <cstdio>

int main(int argc, char** argv)
{
    if (argc == 2)
        for (const auto& ways : {lives::who_starts_mpi(), lives::again(), lives::communicators(),
                                 lives::little_room(), lives::no_finalize()})
            if (const auto way = ways.find(argv[1]); way != ways.end()) {
                way->second();
                return lives::failures == 0 ? 0 : 1;
            }
    std::fprintf(stderr, "lives: no such way\n");
    return 2;
}
