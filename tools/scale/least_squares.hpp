// Least squares: coefficients, none below 0, that make the relative errors of a sum of terms least.
#pragma once

#include <span>
#include <vector>

namespace armci::scale {

// terms[i] are those of the i-th point, as many for each, 6 at most; values[i] > 0 is what was measured.
// A coefficient that explains nothing is 0.
std::vector<double> fit(const std::vector<std::vector<double>>& terms, std::span<const double> values);

} // namespace armci::scale
