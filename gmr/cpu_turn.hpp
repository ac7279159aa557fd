// CPU turn: held while the CPU changes memory by atomic operations that MPI might change, too
// (gmr/network/mpi_exclusion.hpp, gmr/network/modes.hpp). MPI turn: held while the library changes such
// memory through MPI by gets and puts.
#pragma once

#include "gmr/locate.hpp"
#include "gmr/network/modes.hpp"
#include "gmr/network/mpi_exclusion.hpp"

#include <cstdint>

namespace armci::gmr {

// While one is taken, MPI changes nothing of this kind on the process, and the CPUs of its node may. Its
// holder must neither call MPI nor wait for another process.
class CpuTurn {
public:
    // Takes the turn where the process is of my node, and outside of MPI or in CPU mode.
    CpuTurn(int process, Access kind)
    {
        if (MpiExclusion::the_one() != nullptr || Modes::the_one() != nullptr)
            begin(process, kind);
    }
    ~CpuTurn() { end(); }
    CpuTurn(const CpuTurn&) = delete;
    CpuTurn& operator=(const CpuTurn&) = delete;

    explicit operator bool() const { return process_ >= 0; }
    // How to look up what is to be changed.
    Use use() const { return *this ? Use::in_turn : Use::atomic; }
    void end()
    {
        if (!*this)
            return;
        if (MpiExclusion* const exclusion = MpiExclusion::the_one(); exclusion && exclusion->covers(kind_))
            exclusion->leave(process_);
        else
            Modes::the_one()->leave(process_, kind_);
        process_ = -1;
    }

private:
    void begin(int process, Access kind);

    int process_ = -1; // while it is taken
    Access kind_{};
};

// While one lives, the CPUs of the process's node change nothing of this kind there.
class MpiTurn {
public:
    MpiTurn(int process, Access kind) : modes_(Modes::the_one())
    {
        if (modes_ != nullptr)
            modes_->enter_mpi(process, kind);
    }
    ~MpiTurn()
    {
        if (modes_ != nullptr)
            modes_->leave_mpi();
    }
    MpiTurn(const MpiTurn&) = delete;
    MpiTurn& operator=(const MpiTurn&) = delete;

private:
    Modes* modes_;
};

// As locate(), for the target of an atomic operation: by load and store only together with a turn, or where
// no other node reaches the memory.
Target locate_atomic(const char* call, int process, const void* address, std::uint64_t extent, CpuTurn& turn);

} // namespace armci::gmr
