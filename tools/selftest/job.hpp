// The job of a self-test: with whom each process checks, and the memory that it does it in.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace armci::tools {

// Whose memory a process works on, and where in it nobody else does.
struct Partner {
    int process = -1; // -1: none of that sort
    const char* where = "";
    double* area = nullptr;
};

// Collective over the world, as is its end.
class Job {
public:
    Job();
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    int me() const { return me_; }
    int processes() const { return processes_; }
    int nodes() const { return nodes_; }
    bool load_store() const { return load_store_; }

    // 0: itself; 1: another on its node; 2: one on the next node.
    const Partner& partner(std::size_t sort) const { return partners_[sort]; }
    // One that has me for its partner of that sort, and where in my memory it works.
    int origin(std::size_t sort) const { return origins_[sort]; }
    double* area(std::size_t sort) const;

    // A page of each process that all work on.
    double* common(int process) const;

private:
    double* area_of(int process, std::size_t number) const;

    int me_ = 0;
    int processes_ = 0;
    int nodes_ = 0;
    bool load_store_ = false;
    std::vector<void*> memory_; // by process
    std::array<Partner, 3> partners_;
    std::array<int, 3> origins_{-1, -1, -1};
};

} // namespace armci::tools
