// The textual form of programs.
#include "tests/oracle/program.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace oracle {

namespace {

// In the order of Verb, Type and Kind.
constexpr std::array verbs{"group", "group_free", "alloc",       "free",      "mutexes",   "mutexes_free",
                           "mode",  "barrier",    "reduce",      "broadcast", "select",    "sync",
                           "block", "use",        "put",         "get",       "acc",       "rmw",
                           "store", "load",       "wait",        "test",      "wait_proc", "wait_all",
                           "fence", "all_fence",  "group_fence", "section",   "compute",   "progress",
                           "copy",  "pass",       "flagged",     "message"};
constexpr std::array types{"bytes", "integer", "whole", "single", "real", "complex", "dcomplex"};
constexpr std::array kinds{"none", "exclusive", "read", "acc", "fadd", "swap", "section", "flag"};
static_assert(verbs.size() == static_cast<std::size_t>(Verb::message) + 1);
static_assert(types.size() == static_cast<std::size_t>(Type::dcomplex) + 1);
static_assert(kinds.size() == static_cast<std::size_t>(Kind::flag) + 1);

template <class Names>
int number_of(const Names& names, const std::string& word)
{
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
        throw std::runtime_error("what is " + word + "?");
    return static_cast<int>(found - names.begin());
}

// Calls field(name, member) for each member but the verb.
template <class AnyStep, class Field>
void for_each_field(AnyStep& s, Field field)
{
    field("actor", s.actor), field("peer", s.peer), field("id", s.id), field("group", s.group);
    field("region", s.region), field("target", s.target), field("type", s.type), field("kind", s.kind);
    field("how", s.how), field("toggles", s.toggles), field("variant", s.variant), field("op", s.op),
        field("scope", s.scope);
    field("root", s.root), field("check", s.check), field("at", s.at), field("bytes", s.bytes);
    field("value", s.value), field("times", s.times), field("rows", s.rows), field("pitch", s.pitch),
        field("from", s.from);
    field("origin", s.origin), field("origin_at", s.origin_at), field("flag_region", s.flag_region);
    field("flag_at", s.flag_at), field("data", s.data), field("counts", s.counts), field("there", s.there);
    field("here", s.here), field("lengths", s.lengths), field("regions", s.regions),
        field("members", s.members);
    field("sizes", s.sizes);
}

template <class Number>
std::string to_text(Number value)
{
    return std::to_string(value);
}
std::string to_text(Type type)
{
    return types[static_cast<std::size_t>(type)];
}
std::string to_text(Kind kind)
{
    return kinds[static_cast<std::size_t>(kind)];
}
std::string to_text(const List& list)
{
    std::string text;
    for (const long value : list)
        text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
}

template <class Number>
void from_text(const std::string& text, Number& value)
{
    value = static_cast<Number>(std::stol(text));
}
void from_text(const std::string& text, Type& type)
{
    type = static_cast<Type>(number_of(types, text));
}
void from_text(const std::string& text, Kind& kind)
{
    kind = static_cast<Kind>(number_of(kinds, text));
}
void from_text(const std::string& text, List& list)
{
    list.clear();
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');)
        list.push_back(std::stol(word));
}

} // namespace

std::string text_of(const Step& step)
{
    std::string text = verbs[static_cast<std::size_t>(step.verb)];
    std::vector<std::string> usual;
    const Step rest;
    for_each_field(rest, [&](const char*, const auto& member) { usual.push_back(to_text(member)); });
    std::size_t i = 0;
    for_each_field(step, [&](const char* name, const auto& member) {
        if (const std::string value = to_text(member); value != usual[i++])
            text += std::string(" ") + name + "=" + value;
    });
    return text;
}

void write(std::ostream& out, const Program& program)
{
    out << "program ranks=" << program.ranks << " threads=" << program.threads << " seed=" << program.seed
        << '\n';
    for (const Step& step : program.steps)
        out << text_of(step) << '\n';
}

Program read(std::istream& in)
{
    Program program;
    bool begun = false;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string word;
        if (!(words >> word) || word[0] == '#')
            continue;
        Step step;
        const bool is_head = word == "program";
        if (!is_head)
            step.verb = static_cast<Verb>(number_of(verbs, word));
        begun = begun || is_head;
        if (!begun)
            throw std::runtime_error("no line 'program' comes first");
        while (words >> word) {
            const auto equals = word.find('=');
            const std::string name = word.substr(0, equals),
                              value = word.substr(std::min(equals, word.size() - 1) + 1);
            bool known = false;
            const auto take = [&](const char* wanted, auto& member) {
                if (name == wanted)
                    from_text(value, member), known = true;
            };
            if (is_head) {
                take("ranks", program.ranks), take("threads", program.threads);
                if (name == "seed")
                    program.seed = std::stoull(value), known = true;
            } else {
                for_each_field(step, take);
            }
            if (!known)
                throw std::runtime_error("what is " + word + "?");
        }
        if (!is_head)
            program.steps.push_back(std::move(step));
    }
    return program;
}

} // namespace oracle
