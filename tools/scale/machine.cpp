#include "tools/scale/machine.hpp"

#include "tools/scale/collectives.hpp"
#include "tools/scale/least_squares.hpp"

#include <cstddef>
#include <numeric>
#include <sstream>

namespace armci::scale {
namespace {

bool is_of_one(std::string_view name)
{
    return name == "rmw" || name == "get" || name == "put+fence" || name == "acc+fence";
}

// Returns whether jobs of one node do not show what the call costs between nodes.
bool crosses_nodes(std::string_view name)
{
    return name == "barrier" || name == "malloc+free" || name == "sum" || name == "mpi-start";
}

std::string place_of(const std::string& name, Shape shape)
{
    // Load and store, or messages: nothing of the one tells about the other.
    const bool by_place = is_of_one(name) || name == "counter" || name == "start" || name == "start-heap";
    return by_place && shape.nodes > 1 ? name + " between nodes" : name;
}

std::int64_t in_a_row(std::string_view name, Shape shape, double bytes)
{
    const auto whole = static_cast<std::int64_t>(bytes);
    if (name == "barrier")
        return barrier(shape).in_a_row;
    if (name == "malloc+free")
        return allocation(shape).in_a_row + release(shape).in_a_row;
    return combination(shape, whole).in_a_row;
}

// What a cost is a sum of, each times a coefficient.
std::vector<double> terms(std::string_view name, Shape shape, double bytes)
{
    const auto processes = static_cast<double>(shape.processes());
    if (name == "array") // of an address for each of so many processes
        return {bytes};
    if (is_of_one(name))
        return {1, bytes};
    if (name == "counter" || name == "start-heap")
        return {1, processes};
    if (name == "start" || name == "mpi-start")
        return {1, static_cast<double>(steps(shape.processes())), processes};
    // A step carries what is combined, and so does the node; the few bytes of the others are in the cost of a
    // step.
    const auto row = static_cast<double>(in_a_row(name, shape, bytes));
    const double carried = name == "sum" ? bytes : 0;
    return {1, static_cast<double>(shape.per_node), row, carried, row * carried};
}

} // namespace

std::vector<Point> read_points(std::istream& in)
{
    std::vector<Point> points;
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string series;
        Point point;
        char colon = 0;
        if (!(words >> series >> point.bytes >> point.value) || !series.starts_with("scale/"))
            continue;
        const std::size_t end = series.find(':');
        if (end == std::string::npos)
            continue;
        point.name = series.substr(6, end - 6);
        std::istringstream shape(series.substr(end + 1));
        if (shape >> point.shape.nodes >> colon >> point.shape.per_node && colon == 'x' && point.value > 0)
            points.push_back(point);
    }
    return points;
}

Machine::Machine(const std::vector<Point>& points)
{
    std::map<std::string, std::vector<const Point*>> by_place;
    for (const Point& point : points) {
        const std::string place = place_of(point.name, point.shape);
        by_place[place].push_back(&point);
        if (point.shape.nodes > 1)
            several_nodes_.insert(place);
    }
    for (const auto& [place, group] : by_place) {
        std::vector<std::vector<double>> all;
        std::vector<double> values;
        for (const Point* point : group) {
            all.push_back(terms(point->name, point->shape, point->bytes));
            values.push_back(point->value);
        }
        coefficients_[place] = fit(all, values);
    }
}

bool Machine::knows(const std::string& name, Shape shape) const
{
    const std::string place = place_of(name, shape);
    return coefficients_.contains(place) &&
           (shape.nodes == 1 || !crosses_nodes(name) || several_nodes_.contains(place));
}

double Machine::cost(const std::string& name, Shape shape, double bytes) const
{
    if (!knows(name, shape))
        return 0;
    const auto found = coefficients_.find(place_of(name, shape));
    const std::vector<double> each = terms(name, shape, bytes);
    return std::inner_product(each.begin(), each.end(), found->second.begin(), 0.0);
}

} // namespace armci::scale
