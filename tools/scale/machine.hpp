// Machine: what calls cost on one machine and network, fitted to what `benchmarks/network/fences scale`
// printed in jobs of several shapes.
#pragma once

#include "tools/scale/shape.hpp"

#include <istream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace armci::scale {

// One row: "scale/NAME:NODESxPROCESSES BYTES VALUE UNIT".
struct Point {
    std::string name;
    Shape shape;
    double bytes = 0;
    double value = 0; // microseconds; bytes of start-heap
};

// Other lines are passed over, so the output of several jobs in one file is good.
std::vector<Point> read_points(std::istream& in);

class Machine {
public:
    explicit Machine(const std::vector<Point>& points);

    bool knows(const std::string& name, Shape shape) const;
    // What one call costs; 0 for one that is not known.
    double cost(const std::string& name, Shape shape, double bytes = 0) const;

private:
    std::map<std::string, std::vector<double>> coefficients_; // by kind of call and place
    std::set<std::string> several_nodes_;                     // places with rows of several nodes
};

} // namespace armci::scale
