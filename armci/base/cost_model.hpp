// Cost models: how long a strided or vector call is predicted to take by each method, as a tune file says
// (docs/design/0010). A model is a line, T = a + b * bytes + c * segments microseconds, over a range of bytes
// or of bytes per segment. benchmarks/driver/models.py fits them to measured points and writes the file;
// where it is given (ARMCI_TUNE_FILE), choosers that may choose take the legal method of least predicted
// time.
//
// The file is text, a line for each model after the lines that tell whose they are:
//
//     armci-rma tune file 1
//     library 1.0.0
//     mpi MPICH 4.0.2
//     place two hosts, TCP
//     # call    operation  method  path     by       from  to    a     b       c
//     strided   put        direct  network  bytes    0     4096  12.5  0.0006  0.02
//     other     fetch-add  auto    network  bytes    0     max   15    0       0
//
// `other` calls are for readers; nothing is chosen by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace armci::cost {

enum class Call : std::uint8_t { strided, vector };
enum class Operation : std::uint8_t { put, get, accumulate };
// Through MPI to another node, or to one's own (ARMCI_FORCE_MPI). Load and store leave nothing to choose.
enum class Path : std::uint8_t { network, mpi };
// Of strided calls: iov, direct, packed, segments, spans. Of vector calls: conservative, batched, direct.
enum class Method : std::uint8_t { iov, direct, packed, segments, spans, conservative, batched };

// What a method is asked to do.
struct Work {
    Call call;
    Operation operation;
    Path path;
    std::uint64_t bytes; // of all segments
    std::uint64_t segments;
};

struct Model {
    Call call;
    Operation operation;
    Path path;
    Method method;
    bool by_segment;    // the range is one of bytes per segment, not of all bytes
    std::uint64_t from; // [from, to)
    std::uint64_t to;
    double a; // microseconds
    double b; // for each byte
    double c; // for each segment
};

// Whose models a file must have: of this library on this MPI.
struct Owner {
    std::string library;
    std::string mpi;
};
Owner running();
// Name and version of an MPI, "Open MPI 4.1.4", from what MPI_Get_library_version says.
std::string short_name(std::string_view mpi_library_version);

struct Tune {
    Owner owner;
    std::string place;
    std::vector<Model> models;
    std::size_t others = 0; // models that nothing is chosen by
};

// More is no tune file.
inline constexpr std::size_t most_file_bytes = std::size_t{1} << 20;
inline constexpr std::size_t most_models = 4096;

// A good file, or none and in `problem` what is wrong: "line 7: ...". Another owner's file is good.
std::optional<Tune> parse(std::string_view text, std::string& problem);
std::optional<Tune> read(const char* path, std::string& problem);
// What is wrong with the use of this tune by `owner`; empty where nothing is.
std::string mismatch(const Tune& tune, const Owner& owner);
// The file, good and of this process's library and MPI.
std::optional<Tune> read_ours(const std::string& path, std::string& problem);

// The models that predict() goes by, of the process; none at first, nor after use({}).
void use(std::span<const Model> models);
bool in_use();
// Microseconds, or nothing where no model covers the work.
std::optional<double> predict(Method method, const Work& work);

const char* name_of(Call call);
const char* name_of(Operation operation);
const char* name_of(Path path);
const char* name_of(Method method);

} // namespace armci::cost
