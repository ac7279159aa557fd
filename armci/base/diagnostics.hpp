// Diagnostics: the one place that words, prints and acts on what is wrong.
//
// Whoever finds a mistake calls reject() once and passes its result up unchanged; nobody above prints again.
// Each message is a single write to stderr: "armci: rank 2 of 4: ARMCI_Put: <what, value, what would be
// right>".
#pragma once

namespace armci::diag {

// What reject() does after printing: end the job (GA and NWChem ignore return codes), or hand a code back.
enum class OnError { abort, give_code };

// The code that public functions return for a rejected call. Success is 0.
inline constexpr int rejected = 1;

// Identity used in messages; rank < 0 until the runtime knows it.
void set_identity(int rank, int size);
void set_policy(OnError policy);

// Reports a wrong argument or a wrong use. Returns `rejected` when the policy is give_code, else ends the
// job.
[[gnu::cold, gnu::format(printf, 2, 3)]] int reject(const char* call, const char* format, ...);

// As reject(), for a failure that every process of a collective call has found alike: `speaker` prints, the
// others stay silent; when the policy is to abort, the silent ones wait for the job to end, and speak when
// it does not.
[[gnu::cold, gnu::format(printf, 3, 4)]] int reject_together(bool speaker, const char* call,
                                                             const char* format, ...);

// Reports what cannot be survived whatever the policy, and ends the job.
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void fatal(const char* call, const char* format, ...);

// As fatal(), for what every process of a collective call has found alike: `speaker` prints.
[[noreturn, gnu::cold, gnu::format(printf, 3, 4)]] void fatal_together(bool speaker, const char* call,
                                                                       const char* format, ...);

// Reports something odd that does not stop the work.
[[gnu::cold, gnu::format(printf, 1, 2)]] void warn(const char* format, ...);

// A line for the curious (ARMCI_VERBOSE, ARMCI_STATS).
[[gnu::cold, gnu::format(printf, 1, 2)]] void say(const char* format, ...);

// For a thread beside the program's, which may be stuck anywhere: prints only what cannot block.
[[gnu::cold, gnu::format(printf, 1, 2)]] void tell_at_once(const char* format, ...);
// As end_job(), for such a thread: where MPI_Abort gets stuck, the process still ends.
[[noreturn, gnu::cold]] void end_job_beside();

// Ends the job with `code` (1 for one that would look like success) through MPI_Abort where MPI runs, else
// _exit.
[[noreturn, gnu::cold]] void end_job(int code);

} // namespace armci::diag
