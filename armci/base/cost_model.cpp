// Long, so that the words of the file and the models that they become stand together.
#include "armci/base/cost_model.hpp"

#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace armci::cost {
namespace {

constexpr std::string_view title = "armci-rma tune file 1";
constexpr std::size_t fields_of_model = 10;
constexpr std::uint64_t no_end = UINT64_MAX;

constexpr std::array calls{"strided", "vector"};
constexpr std::array operations{"put", "get", "acc"};
constexpr std::array paths{"network", "mpi"};
constexpr std::array methods{"iov", "direct", "packed", "segments", "spans", "consrv", "batched"};

// Those of one call, operation, path and method.
std::array<std::vector<Model>, calls.size() * operations.size() * paths.size() * methods.size()> table;
bool any = false;

std::vector<Model>& models_of(Call call, Operation operation, Path path, Method method)
{
    std::size_t i = static_cast<std::size_t>(call);
    i = i * operations.size() + static_cast<std::size_t>(operation);
    i = i * paths.size() + static_cast<std::size_t>(path);
    return table.at(i * methods.size() + static_cast<std::size_t>(method));
}

bool goes_with(Method method, Call call)
{
    switch (method) {
    case Method::direct:
        return true;
    case Method::iov:
    case Method::packed:
    case Method::segments:
    case Method::spans:
        return call == Call::strided;
    case Method::conservative:
    case Method::batched:
        break;
    }
    return call == Call::vector;
}

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

std::string_view next_word(std::string_view& rest)
{
    rest = trimmed(rest);
    const auto end = std::find_if(rest.begin(), rest.end(), is_blank);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(word.size());
    return word;
}

// A stranger's text in a message: short, and of printable characters.
std::string in_quotes(std::string_view text)
{
    constexpr std::size_t most = 40;
    std::string result = "'";
    for (const char c : text.substr(0, most))
        result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > most ? "...'" : "'");
}

template <std::size_t N>
std::string list(const std::array<const char*, N>& names)
{
    std::string text;
    for (const char* const name : names)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

bool number(std::string_view word, std::uint64_t& value)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
}

// Not by std::from_chars, whose part for doubles wants libm of who links the static library; and whatever the
// program's locale writes between the digits.
bool number(std::string_view word, double& value)
{
    static locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    if (word.empty() || word.find_first_not_of("0123456789.eE+-") != std::string_view::npos ||
        word.front() == '+')
        return false;
    const std::string text(word);
    char* end = nullptr;
    errno = 0;
    value = strtod_l(text.c_str(), &end, plain);
    return errno == 0 && end == text.c_str() + text.size();
}

bool microseconds(std::string_view word, double& value)
{
    return number(word, value) && std::isfinite(value) && value >= 0;
}

class Parser {
public:
    explicit Parser(std::string& problem) : problem_(problem) {}

    std::optional<Tune> parse(std::string_view text)
    {
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            ++line_;
            if (!take(trimmed(line)))
                return std::nullopt;
        }
        if (line_ == 0 || !titled_) {
            problem_ = "it is empty; its first line must be " + in_quotes(title);
            return std::nullopt;
        }
        if (tune_.owner.library.empty() || tune_.owner.mpi.empty()) {
            problem_ = "it does not say of which library and mpi it is";
            return std::nullopt;
        }
        return std::move(tune_);
    }

private:
    bool wrong(const std::string& what)
    {
        problem_ = "line " + std::to_string(line_) + ": " + what;
        return false;
    }

    template <class Enum, std::size_t N>
    bool choice(std::string_view word, const std::array<const char*, N>& names, const char* what, Enum& value)
    {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end())
            return wrong(std::string(what) + " is " + in_quotes(word) + "; known are " + list(names));
        value = static_cast<Enum>(found - names.begin());
        return true;
    }

    bool take(std::string_view line)
    {
        if (!titled_) {
            titled_ = line == title;
            return titled_ || wrong("it is " + in_quotes(line) + "; it must be " + in_quotes(title));
        }
        if (line.empty() || line.front() == '#')
            return true;
        std::string_view rest = line;
        const std::string_view keyword = next_word(rest);
        rest = trimmed(rest);
        if (keyword == "library")
            return take_header(tune_.owner.library, rest);
        if (keyword == "mpi")
            return take_header(tune_.owner.mpi, rest);
        if (keyword == "place")
            return take_header(tune_.place, rest);
        return take_model(line);
    }

    bool take_header(std::string& value, std::string_view text)
    {
        if (text.empty() || !value.empty())
            return wrong(text.empty() ? "it says nothing" : "this was said before");
        value = text;
        return true;
    }

    bool take_model(std::string_view line)
    {
        std::array<std::string_view, fields_of_model> field;
        std::string_view rest = line;
        for (std::string_view& one : field)
            one = next_word(rest);
        if (field.back().empty() || !trimmed(rest).empty())
            return wrong("a model has " + std::to_string(fields_of_model) +
                         " words: call, operation, method, path, by, from, to, a, b, c");
        if (tune_.models.size() + tune_.others == most_models)
            return wrong("there are more than " + std::to_string(most_models) + " models");
        Model model{};
        if (!take_range(field, model) || !take_coefficients(field, model))
            return false;
        if (field[0] == "other") {
            ++tune_.others;
            return true;
        }
        if (!choice(field[0], calls, "the first word", model.call) ||
            !choice(field[1], operations, "the operation", model.operation))
            return false;
        // What a chooser never takes is for readers, too.
        if (field[2] == "auto" || field[3] == "node") {
            ++tune_.others;
            return true;
        }
        if (!choice(field[2], methods, "the method", model.method) ||
            !choice(field[3], paths, "the path", model.path))
            return false;
        if (!goes_with(model.method, model.call))
            return wrong("no " + std::string(field[0]) + " call has method " + in_quotes(field[2]));
        return take_its_place(model);
    }

    bool take_range(const std::array<std::string_view, fields_of_model>& field, Model& model)
    {
        model.by_segment = field[4] == "segment";
        if (!model.by_segment && field[4] != "bytes")
            return wrong("the range is one by " + in_quotes(field[4]) + "; it must be bytes or segment");
        if (!number(field[5], model.from) ||
            !(field[6] == "max" ? (model.to = no_end, true) : number(field[6], model.to)))
            return wrong("the range is " + in_quotes(field[5]) + " to " + in_quotes(field[6]) +
                         "; it must be whole numbers, the last one may be max");
        if (model.from >= model.to)
            return wrong("the range is empty");
        return true;
    }

    bool take_coefficients(const std::array<std::string_view, fields_of_model>& field, Model& model)
    {
        if (microseconds(field[7], model.a) && microseconds(field[8], model.b) &&
            microseconds(field[9], model.c))
            return true;
        return wrong("the model is " + in_quotes(field[7]) + ", " + in_quotes(field[8]) + ", " +
                     in_quotes(field[9]) + "; it must be three numbers, none below 0");
    }

    bool take_its_place(const Model& model)
    {
        const auto meets = [&](const Model& other) {
            return other.call == model.call && other.operation == model.operation &&
                   other.path == model.path && other.method == model.method &&
                   (other.by_segment != model.by_segment || (other.from < model.to && model.from < other.to));
        };
        if (std::any_of(tune_.models.begin(), tune_.models.end(), meets))
            return wrong("its range meets that of an earlier model of the same");
        tune_.models.push_back(model);
        return true;
    }

    std::string& problem_;
    Tune tune_;
    std::size_t line_ = 0;
    bool titled_ = false;
};

// At most one byte more than a tune file has.
bool read_all(int file, std::string& text)
{
    text.resize(most_file_bytes + 1);
    std::size_t used = 0;
    while (used < text.size()) {
        const ssize_t n = ::read(file, text.data() + used, text.size() - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        used += static_cast<std::size_t>(n);
    }
    text.resize(used);
    return true;
}

} // namespace

Owner running()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    return {ARMCI_RMA_VERSION, short_name(text)};
}

std::string short_name(std::string_view version)
{
    // "MPICH Version:\t4.0.2\n..." and "Open MPI v4.1.4, package: ...".
    version = version.substr(0, version.find('\n'));
    for (const auto& [start, name] :
         {std::pair<std::string_view, const char*>{"MPICH Version:", "MPICH "}, {"Open MPI v", "Open MPI "}})
        if (version.starts_with(start)) {
            const std::string_view number = trimmed(version.substr(start.size()));
            return name + std::string(number.substr(0, number.find_first_of(" \t,")));
        }
    return std::string(trimmed(version));
}

std::optional<Tune> parse(std::string_view text, std::string& problem)
{
    return Parser(problem).parse(text);
}

std::optional<Tune> read(const char* path, std::string& problem)
{
    // O_NONBLOCK: a pipe that nobody writes to must not hold the job.
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about {};
    std::string text;
    const bool there = file >= 0 && ::fstat(file, &about) == 0;
    const bool regular = there && S_ISREG(about.st_mode);
    const bool good = regular && read_all(file, text);
    if (!good)
        problem = there && !regular ? "it is no regular file" : std::strerror(errno);
    if (file >= 0)
        ::close(file);
    if (!good)
        return std::nullopt;
    if (text.size() > most_file_bytes) {
        problem = "it has more than " + std::to_string(most_file_bytes) + " bytes";
        return std::nullopt;
    }
    return parse(text, problem);
}

std::string mismatch(const Tune& tune, const Owner& owner)
{
    if (tune.owner.mpi != owner.mpi)
        return "it is for " + in_quotes(tune.owner.mpi) + ", and this is " + owner.mpi;
    if (tune.owner.library != owner.library)
        return "it is for version " + in_quotes(tune.owner.library) + " of this library, which is " +
               owner.library;
    return {};
}

std::optional<Tune> read_ours(const std::string& path, std::string& problem)
{
    std::optional<Tune> tune = read(path.c_str(), problem);
    if (tune)
        problem = mismatch(*tune, running());
    if (!problem.empty())
        tune.reset();
    return tune;
}

void use(std::span<const Model> models)
{
    for (std::vector<Model>& some : table)
        some.clear();
    for (const Model& model : models)
        models_of(model.call, model.operation, model.path, model.method).push_back(model);
    any = !models.empty();
}

bool in_use()
{
    return any;
}

std::optional<double> predict(Method method, const Work& work)
{
    if (work.segments == 0)
        return std::nullopt;
    for (const Model& model : models_of(work.call, work.operation, work.path, method)) {
        const std::uint64_t place = model.by_segment ? work.bytes / work.segments : work.bytes;
        if (place >= model.from && place < model.to)
            return model.a + model.b * static_cast<double>(work.bytes) +
                   model.c * static_cast<double>(work.segments);
    }
    return std::nullopt;
}

const char* name_of(Call call)
{
    return calls.at(static_cast<std::size_t>(call));
}
const char* name_of(Operation operation)
{
    return operations.at(static_cast<std::size_t>(operation));
}
const char* name_of(Path path)
{
    return paths.at(static_cast<std::size_t>(path));
}
const char* name_of(Method method)
{
    return methods.at(static_cast<std::size_t>(method));
}

} // namespace armci::cost
