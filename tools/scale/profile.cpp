#include "tools/scale/profile.hpp"

// Boost 1.74 says otherwise that its own JSON reader uses what it deprecates.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

namespace armci::scale {
namespace {

using Tree = boost::property_tree::ptree;

Sum sum_of(const Tree& tree)
{
    return {tree.get<double>("count"), tree.get<double>("bytes"), tree.get<double>("seconds")};
}

} // namespace

std::optional<Profile> read_profile(std::istream& in, std::string& problem)
{
    try {
        Tree tree;
        boost::property_tree::read_json(in, tree);
        Profile profile;
        const auto processes = tree.get<std::int64_t>("processes");
        profile.shape.nodes = tree.get<std::int64_t>("nodes");
        if (profile.shape.nodes < 1 || processes < profile.shape.nodes) {
            problem = "it has no processes, or fewer than nodes";
            return std::nullopt;
        }
        profile.shape.per_node = (processes + profile.shape.nodes - 1) / profile.shape.nodes;
        profile.seconds = tree.get<double>("seconds");
        for (const auto& [unused, one] : tree.get_child("operations")) {
            Profile::Operation& operation = profile.operations[one.get<std::string>("operation")];
            (one.get<std::string>("path") == "network" ? operation.network : operation.load_store) +=
                sum_of(one);
        }
        for (const auto& [unused, one] : tree.get_child("waits"))
            profile.waits[one.get<std::string>("wait")] += sum_of(one);
        profile.allocations = tree.get<double>("allocations.count");
        return profile;
    } catch (const boost::property_tree::ptree_error& error) {
        problem = error.what();
        return std::nullopt;
    }
}

} // namespace armci::scale
