// Loans: buffers of the program that nonblocking operations use until they are waited for.
//
// One process's; the caller keeps threads apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace armci::check {

struct Bytes {
    std::uintptr_t begin;
    std::uintptr_t end;
};

struct Loan {
    const char* call;
    const void* handle; // the caller's; null: none
    int process;        // of the remote side
    bool written;       // by the operation; else it reads the buffer
    std::vector<Bytes> buffer;
    std::uint64_t digest; // of what a buffer held that is read
};

class Loans {
public:
    // `buffer` may come in any order.
    void lend(const char* call, const void* handle, int process, bool written, std::vector<Bytes> buffer);

    // The loan that stands against an operation that reads the buffer, or writes it; null: none.
    const Loan* against(std::span<const Bytes> buffer, bool writes) const;

    // Ends those of a handle; of a process (or all, -1), with or without handles and gets. Gives those whose
    // buffer the program has changed, or given back to the system, meanwhile.
    std::vector<Loan> end_handle(const void* handle);
    std::vector<Loan> end_process(int process, bool those_with_handles, bool those_written);

    const std::vector<Loan>& all() const { return loans_; }
    void forget(const void* handle);

private:
    std::vector<Loan> loans_;
};

// Of what the buffer holds; something else where it cannot be read any more.
std::uint64_t digest(std::span<const Bytes> buffer);

} // namespace armci::check
