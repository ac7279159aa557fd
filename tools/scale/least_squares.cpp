#include "tools/scale/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace armci::scale {
namespace {

using Row = std::vector<double>;

// Solves by Gauss with pivots; nothing where the equations do not tell.
std::optional<Row> solve(std::vector<Row> a, Row b)
{
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        for (std::size_t row = i + 1; row < n; ++row)
            if (std::abs(a[row][i]) > std::abs(a[pivot][i]))
                pivot = row;
        if (std::abs(a[pivot][i]) < 1e-12)
            return std::nullopt;
        std::swap(a[i], a[pivot]);
        std::swap(b[i], b[pivot]);
        for (std::size_t row = i + 1; row < n; ++row) {
            const double factor = a[row][i] / a[i][i];
            for (std::size_t column = i; column < n; ++column)
                a[row][column] -= factor * a[i][column];
            b[row] -= factor * b[i];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t column = i + 1; column < n; ++column)
            b[i] -= a[i][column] * b[column];
        b[i] /= a[i][i];
    }
    return b;
}

// The best coefficients of the terms in `chosen`, whose points are rows of `scaled` and should each give 1.
std::optional<Row> fit_chosen(const std::vector<Row>& scaled, const std::vector<std::size_t>& chosen)
{
    const std::size_t n = chosen.size();
    std::vector<Row> a(n, Row(n, 0));
    Row b(n, 0);
    for (const Row& point : scaled)
        for (std::size_t i = 0; i < n; ++i) {
            b[i] += point[chosen[i]];
            for (std::size_t j = 0; j < n; ++j)
                a[i][j] += point[chosen[i]] * point[chosen[j]];
        }
    return solve(std::move(a), std::move(b));
}

} // namespace

// Few terms have few choices of terms, so all are tried.
std::vector<double> fit(const std::vector<std::vector<double>>& terms, std::span<const double> values)
{
    if (terms.empty())
        return {};
    const std::size_t count = terms.front().size();
    Row most(count, 0);
    std::vector<Row> scaled = terms;
    for (std::size_t i = 0; i < scaled.size(); ++i)
        for (std::size_t term = 0; term < count; ++term) {
            scaled[i][term] /= values[i];
            most[term] = std::max(most[term], std::abs(scaled[i][term]));
        }
    for (Row& point : scaled)
        for (std::size_t term = 0; term < count; ++term)
            point[term] /= most[term] > 0 ? most[term] : 1;
    Row best(count, 0);
    auto least = static_cast<double>(scaled.size());
    for (unsigned choice = 1; choice < 1U << count; ++choice) {
        std::vector<std::size_t> chosen;
        for (std::size_t term = 0; term < count; ++term)
            if ((choice >> term & 1U) != 0)
                chosen.push_back(term);
        const std::optional<Row> found = fit_chosen(scaled, chosen);
        if (!found || std::any_of(found->begin(), found->end(), [](double one) { return one < 0; }))
            continue;
        double squares = 0;
        for (const Row& point : scaled) {
            double error = -1;
            for (std::size_t i = 0; i < chosen.size(); ++i)
                error += (*found)[i] * point[chosen[i]];
            squares += error * error;
        }
        if (squares >= least * (1 - 1e-9) - 1e-15)
            continue;
        least = squares;
        best.assign(count, 0);
        for (std::size_t i = 0; i < chosen.size(); ++i)
            best[chosen[i]] = (*found)[i] / most[chosen[i]];
    }
    return best;
}

} // namespace armci::scale
