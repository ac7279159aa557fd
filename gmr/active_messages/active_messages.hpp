// Active messages: all operations on memory of other nodes go as messages to a thread there (server.hpp),
// which carries them out by the CPU, whether the target's program computes or not.
//
// Then CPUs alone change memory, on every node of the job, and a node's own processes do so at once. All
// processes of a job have it, or none. The connections are TCP's, from each process to one server of each
// node that it uses.
//
// Messages of one process to one node are carried out in their order, so location consistency costs nothing.
// Reasons and costs: docs/design/0017.
#pragma once

#include "armci/base/job_hosts.hpp"
#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"
#include "gmr/active_messages/line.hpp"
#include "gmr/active_messages/server.hpp"
#include "gmr/node/kernels/accumulate.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace armci::gmr {

class ActiveMessages {
public:
    // Collective over `world`. Null on all processes where the settings want none, the processes are not
    // connected by TCP, or one cannot reach the next node.
    static std::unique_ptr<ActiveMessages> where_it_holds(MPI_Comm world, const Topology& topology,
                                                          const JobHosts& hosts, const Settings& settings);
    ~ActiveMessages(); // collective; all messages are carried out
    ActiveMessages(const ActiveMessages&) = delete;
    ActiveMessages& operator=(const ActiveMessages&) = delete;

    // Null where there are none.
    static ActiveMessages* the_one() { return the_one_; }

    // Changes an aligned word of `process` by one atomic operation; returns the old value.
    std::uint64_t fetch(int process, const active_messages::Fetch& fetch);
    // The same for who needs no old value. It is on its way, behind all that I sent to the process's node.
    void send(int process, const active_messages::Fetch& fetch);

    // Returns when all that I wrote to memory of the process's node is there.
    void fence(int process);
    // The same for all processes; and all that I get is here.
    void finish_all();
    // Returns when all that I get from the process's node, or from any, is here.
    void finish_gets(int process);
    void finish_gets();
    // The same for gets up to one, by the number that Gets::end() has returned; or whether they are.
    void await(int process, std::uint64_t get);
    bool is_here(int process, std::uint64_t get);

    // One put to one process. It holds the connection while it lives.
    class Puts {
    public:
        Puts(ActiveMessages& messages, int process);
        ~Puts();
        Puts(const Puts&) = delete;
        Puts& operator=(const Puts&) = delete;

        // Targets are addresses of the process; sources may be used again when this returns.
        void add(const kernels::Rows& rows);

    private:
        ActiveMessages& messages_;
        active_messages::Line& line_;
        std::lock_guard<std::mutex> lock_;
    };

    // One get from one process. It holds the connection while it lives.
    class Gets {
    public:
        Gets(ActiveMessages& messages, int process);
        Gets(const Gets&) = delete;
        Gets& operator=(const Gets&) = delete;

        // Sources are addresses of the process.
        void add(const kernels::Rows& rows);
        // Returns the number of the get, for await().
        std::uint64_t end();
        // Returns when all is here.
        void finish();

    private:
        ActiveMessages& messages_;
        active_messages::Line& line_;
        std::lock_guard<std::mutex> lock_;
    };

    // One accumulate to one process. It holds the connection while it lives.
    class Sums {
    public:
        Sums(ActiveMessages& messages, int process, kernels::Element element, const void* scale);
        ~Sums();
        Sums(const Sums&) = delete;
        Sums& operator=(const Sums&) = delete;

        // Targets are addresses of the process; sources may be used again when this returns.
        void add(kernels::Rows rows);

    private:
        void add_piece(const kernels::Rows& rows);
        void end();

        ActiveMessages& messages_;
        active_messages::Line& line_;
        std::lock_guard<std::mutex> lock_;
        active_messages::Sums head_{};
        std::byte* message_ = nullptr; // that is begun
        std::size_t used_ = 0;         // bytes of it
    };

private:
    ActiveMessages(MPI_Comm world, const Topology& topology, const active_messages::Key& key,
                   const InternetAddress& address);
    bool find_servers();
    // False, and why, where the node's server does not answer.
    bool connect(int node, std::string& problem);
    active_messages::Line& line_to(int process);
    // Null where nothing was sent there.
    active_messages::Line* line_in_use(int process);
    // The caller of these two holds the line's guard.
    void note_use(active_messages::Line& line);
    void note_end_of_use(active_messages::Line& line);
    std::vector<active_messages::Line*> used_lines();
    bool send_held();
    int server_of(int node) const;

    static ActiveMessages* the_one_;

    MPI_Comm world_;
    const Topology& topology_;
    active_messages::Key key_;
    int me_ = 0;
    std::vector<active_messages::Place> places_; // by node, of the server that I use
    std::mutex guard_;                           // of what follows
    std::unordered_map<int, std::unique_ptr<active_messages::Line>> lines_; // by node
    std::mutex used_guard_;
    std::vector<active_messages::Line*> used_; // and not complete since
    active_messages::Server server_;           // its thread sends what lines hold
};

} // namespace armci::gmr
