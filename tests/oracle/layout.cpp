#include "tests/oracle/layout.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

namespace oracle {

namespace {

long repetitions(const Step& step)
{
    long count = 1;
    for (std::size_t i = 1; i < step.counts.size(); ++i)
        count = std::min(most_segments + 1, count * step.counts[i]);
    return count;
}

std::vector<Segment> strided(const Step& step)
{
    std::vector<Segment> all;
    const std::size_t levels = step.counts.size() - 1;
    const long count = repetitions(step);
    if (count > most_segments || count == 0 || step.counts[0] == 0)
        return all;
    List at(levels, 0);
    for (long n = 0; n < count; ++n) {
        long there = step.at, here = step.from;
        for (std::size_t i = 0; i < levels; ++i)
            there += at[i] * step.there[i], here += at[i] * step.here[i];
        all.push_back({step.region, there, here, step.counts[0]});
        for (std::size_t i = 0; i < levels && ++at[i] == step.counts[i + 1]; ++i)
            at[i] = 0;
    }
    return all;
}

template <class T>
void add_as(std::byte* to, const std::byte* from, long bytes, T scale)
{
    for (long i = 0; i + static_cast<long>(sizeof(T)) <= bytes; i += sizeof(T)) {
        T sum, term;
        std::memcpy(&sum, to + i, sizeof sum);
        std::memcpy(&term, from + i, sizeof term);
        sum = static_cast<T>(sum + scale * term);
        std::memcpy(to + i, &sum, sizeof sum);
    }
}

// Times real + imaginary i. std::complex would look for infinities in each product.
template <class T>
void add_complex(std::byte* to, const std::byte* from, long bytes, T real, T imaginary)
{
    struct Pair {
        T real, imaginary;
    };
    for (long i = 0; i + static_cast<long>(sizeof(Pair)) <= bytes; i += sizeof(Pair)) {
        Pair sum, term;
        std::memcpy(&sum, to + i, sizeof sum);
        std::memcpy(&term, from + i, sizeof term);
        sum.real += real * term.real - imaginary * term.imaginary;
        sum.imaginary += real * term.imaginary + imaginary * term.real;
        std::memcpy(to + i, &sum, sizeof sum);
    }
}

template <class T>
void put_value(std::byte* to, T value)
{
    std::memcpy(to, &value, sizeof value);
}

// Whole numbers of -3 to 4. Arithmetic of 32 bits, which compilers carry out on several elements at once.
template <class T>
void fill_as(std::byte* to, long bytes, std::uint64_t data, long place)
{
    const auto seed = static_cast<std::uint32_t>(data);
    for (long i = 0; i < bytes; i += sizeof(T)) {
        std::uint32_t random = (seed + static_cast<std::uint32_t>(place + i)) * 0x9e3779b1u;
        random = (random ^ random >> 15) * 0x85ebca6bu;
        put_value(to + i, static_cast<T>(static_cast<int>(random >> 29) - 3));
    }
}

} // namespace

bool has_too_many(const Step& step)
{
    return step.is_strided() && repetitions(step) > most_segments;
}

std::vector<Segment> segments_of(const Step& step)
{
    if (step.is_strided())
        return strided(step);
    std::vector<Segment> all;
    if (!step.is_vector()) {
        if (step.bytes > 0)
            all.push_back({step.region, step.at, step.from, step.bytes});
        return all;
    }
    for (std::size_t i = 0; i < step.lengths.size(); ++i)
        if (step.lengths[i] > 0)
            all.push_back({step.regions.empty() ? step.region : static_cast<int>(step.regions[i]),
                           step.there[i], step.here[i], step.lengths[i]});
    return all;
}

long origin_bytes(const std::vector<Segment>& segments)
{
    long end = 0;
    for (const Segment& s : segments)
        end = std::max(end, s.here + s.bytes);
    return end;
}

long element_bytes(Type type)
{
    constexpr long sizes[] = {
        1, sizeof(int), sizeof(long), sizeof(float), sizeof(double), 2 * sizeof(float), 2 * sizeof(double)};
    return sizes[static_cast<int>(type)];
}

long component_bytes(Type type)
{
    return type == Type::complex || type == Type::dcomplex ? element_bytes(type) / 2 : element_bytes(type);
}

void fill(std::byte* to, long bytes, Type type, std::uint64_t data, long place)
{
    const std::uint64_t seed = mix(data);
    switch (type) {
    case Type::bytes:
        for (long i = 0; i < bytes; ++i)
            to[i] = static_cast<std::byte>(mix(seed + static_cast<std::uint64_t>(place + i)));
        return;
    case Type::integer:
        return fill_as<int>(to, bytes, seed, place);
    case Type::whole:
        return fill_as<long>(to, bytes, seed, place);
    case Type::single:
    case Type::complex:
        return fill_as<float>(to, bytes, seed, place);
    default:
        return fill_as<double>(to, bytes, seed, place);
    }
}

Bytes noise(long bytes, std::uint64_t data)
{
    // Four sequences side by side do not wait for each other's products.
    std::uint64_t random[4];
    for (std::uint64_t i = 0; i < 4; ++i)
        random[i] = mix((data ^ 0xabcdef) + i);
    constexpr std::size_t line = sizeof random;
    Bytes all((static_cast<std::size_t>(bytes) + line - 1) / line * line);
    for (std::size_t at = 0; at < all.size(); at += line)
        for (std::size_t i = 0; i < 4; ++i) {
            random[i] = random[i] * 6364136223846793005u + 1442695040888963407u;
            put_value(all.data() + at + i * sizeof random[i], random[i] ^ random[i] >> 32);
        }
    all.resize(static_cast<std::size_t>(bytes));
    return all;
}

Bytes origin_of(const Step& step, const std::vector<Segment>& segments)
{
    Bytes all = noise(origin_bytes(segments), step.data);
    if (step.type != Type::bytes)
        for (const Segment& s : segments)
            fill(all.data() + s.here, s.bytes, step.type, step.data, s.here);
    return all;
}

void add(std::byte* to, const std::byte* from, long bytes, Type type, long scale, long times)
{
    switch (type) {
    case Type::integer:
        return add_as(to, from, bytes, static_cast<unsigned>(scale * times));
    case Type::whole:
        return add_as(to, from, bytes, static_cast<unsigned long>(scale * times));
    case Type::single:
        return add_as(to, from, bytes, static_cast<float>(scale * times));
    case Type::real:
        return add_as(to, from, bytes, static_cast<double>(scale * times));
    case Type::complex:
        return add_complex(to, from, bytes, static_cast<float>(scale * times), static_cast<float>(times));
    case Type::dcomplex:
        return add_complex(to, from, bytes, static_cast<double>(scale * times), static_cast<double>(times));
    case Type::bytes:
        break;
    }
}

Bytes scale_of(Type type, long scale)
{
    Bytes all(static_cast<std::size_t>(element_bytes(type)));
    switch (type) {
    case Type::integer:
        put_value(all.data(), static_cast<int>(scale));
        break;
    case Type::whole:
        put_value(all.data(), scale);
        break;
    case Type::single:
        put_value(all.data(), static_cast<float>(scale));
        break;
    case Type::real:
        put_value(all.data(), static_cast<double>(scale));
        break;
    case Type::complex:
        put_value(all.data(), std::complex<float>(static_cast<float>(scale), 1));
        break;
    case Type::dcomplex:
        put_value(all.data(), std::complex<double>(static_cast<double>(scale), 1));
        break;
    case Type::bytes:
        break;
    }
    return all;
}

} // namespace oracle
