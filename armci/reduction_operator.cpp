#include "armci/reduction_operator.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <iterator>

namespace armci::message {
namespace {

struct Name {
    const char* text;
    Operator op;
};

// Where one begins like another, the longer comes first.
constexpr Name names[] = {
    {"+", Operator::sum},          {"*", Operator::product},        {"min", Operator::min},
    {"max", Operator::max},        {"absmin", Operator::absmin},    {"absmax", Operator::absmax},
    {"&&", Operator::logical_and}, {"land", Operator::logical_and}, {"||", Operator::logical_or},
    {"lor", Operator::logical_or}, {"&", Operator::bitwise_and},    {"band", Operator::bitwise_and},
    {"|", Operator::bitwise_or},   {"bor", Operator::bitwise_or},   {"or", Operator::bitwise_or},
};

// "&" and "|" are whole names, so nothing need follow them; but "&&" must be told from "&". The character
// behind is on the same page, or the kernel is asked: access() reads a string, and answers EFAULT where it
// cannot.
bool may_be_read(const char* character)
{
    constexpr std::uintptr_t smallest_page = 4096;
    if (reinterpret_cast<std::uintptr_t>(character) % smallest_page != 0)
        return true;
    const int before = errno;
    const bool readable = access(character, F_OK) == 0 || errno != EFAULT;
    errno = before;
    return readable;
}

// How many characters of `name` stand at `text`.
std::size_t matching(const char* text, const char* name)
{
    std::size_t n = 0;
    while (name[n] != '\0' && (n == 0 || may_be_read(text + n)) && text[n] == name[n])
        ++n;
    return n;
}

const Name* name_at(const char* text)
{
    const auto* const found = std::find_if(std::begin(names), std::end(names), [text](const Name& name) {
        return text != nullptr && name.text[matching(text, name.text)] == '\0';
    });
    return found == std::end(names) ? nullptr : found;
}

} // namespace

std::optional<Operator> read_operator(const char* text)
{
    const Name* const name = name_at(text);
    return name == nullptr ? std::nullopt : std::optional(name->op);
}

std::string seen_of(const char* text)
{
    if (text == nullptr)
        return "NULL";
    if (const Name* const name = name_at(text))
        return std::string("'") + name->text + "'";
    std::size_t same = 0;
    for (const Name& name : names)
        same = std::max(same, matching(text, name.text));
    std::string seen = "'";
    for (std::size_t i = 0; i <= same && (i == 0 || may_be_read(text + i)) && text[i] != '\0'; ++i)
        seen += std::isprint(static_cast<unsigned char>(text[i])) != 0 ? text[i] : '?';
    return seen + "...'";
}

} // namespace armci::message
