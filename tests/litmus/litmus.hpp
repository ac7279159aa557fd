// What all litmus tests share: how often, with which random numbers, and how to leave a trace of what was
// done.
#pragma once

#include "tests/support/mpi_test.hpp"
#include "tests/sync/delay.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace litmus {

using Random = std::mt19937_64;

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise)
{
    const char* const text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

inline int rounds()
{
    return static_cast<int>(number_from_environment("LITMUS_ROUNDS", 200));
}

// The same on all ranks; LITMUS_SEED repeats a run.
inline std::uint64_t seed()
{
    return number_from_environment("LITMUS_SEED", armci_test::seed());
}

// Two generators for a test: one that all ranks have alike, and one of the rank's own.
inline Random generator(std::uint64_t whose)
{
    std::seed_seq words{seed() & 0xffffffffu, seed() >> 32, whose};
    return Random(words);
}
inline Random common_generator()
{
    return generator(0);
}
inline Random own_generator()
{
    return generator(static_cast<std::uint64_t>(armci_test::rank()) + 1);
}

inline void print_settings()
{
    if (armci_test::rank() == 0)
        std::printf("LITMUS_ROUNDS=%d LITMUS_SEED=%llu\n", rounds(), static_cast<unsigned long long>(seed()));
}

// From `least` to `most`, both included.
inline long between(Random& random, long least, long most)
{
    return std::uniform_int_distribution<long>(least, most)(random);
}

template <class T, std::size_t N>
const T& one_of(Random& random, const T (&choices)[N])
{
    return choices[static_cast<std::size_t>(between(random, 0, static_cast<long>(N) - 1))];
}

using armci_test::random_delay;

} // namespace litmus
