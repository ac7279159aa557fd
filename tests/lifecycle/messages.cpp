// Messages in each phase of ARMCI's life: messages <way>. Ends with status 0 if all went as it should.
#include <armci.h>
#include <message.h>

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

int failures = 0;
std::string phase;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, phase.c_str(), #condition);  \
            ++failures;                                                                                      \
        }                                                                                                    \
    } while (false)

char plus[] = "+", both[] = "&&", greatest[] = "max", least[] = "min";

bool mpi_is_finalized()
{
    int flag = 0;
    MPI_Finalized(&flag);
    return flag != 0;
}

struct Ranks {
    int me, processes;
};

Ranks ranks_of(MPI_Comm comm)
{
    Ranks ranks{};
    MPI_Comm_rank(comm, &ranks.me);
    MPI_Comm_size(comm, &ranks.processes);
    return ranks;
}

void send_round(const Ranks& world)
{
    if (world.processes == 1)
        return; // nobody to send to
    const int right = (world.me + 1) % world.processes;
    const int left = (world.me + world.processes - 1) % world.processes;
    int token = world.me, got = -1, length = -1;
    armci_msg_snd(7, &token, sizeof token, right); // short enough for any MPI to keep
    armci_msg_rcv(7, &got, sizeof got, &length, left);
    CHECK(got == left && length == sizeof got);
    armci_msg_snd(8, &token, sizeof token, right);
    CHECK(armci_msg_rcvany(8, &got, sizeof got, nullptr) == left && got == left);
}

void use_scope(int scope)
{
    int root = -1, up = -1, left = -1, right = -1;
    armci_msg_bintree(scope, &root, &up, &left, &right);
    int members = 1, value = armci_msg_me() == root ? 4711 : 0;
    armci_msg_gop_scope(scope, &members, 1, plus, ARMCI_INT);
    armci_msg_bcast_scope(scope, &value, sizeof value, root);
    const bool in = root == armci_msg_me() || up >= 0;
    CHECK(members >= 1 && members <= armci_msg_nproc());
    CHECK(value == (in ? 4711 : 0));
}

// What needs no group. Who shares a node with whom is known once somebody has asked MPI.
void use(const char* when, const Ranks& world, bool nodes_known)
{
    phase = when;
    CHECK(armci_msg_me() == world.me);
    CHECK(armci_msg_nproc() == world.processes);
    const double before = armci_timer();
    armci_msg_barrier();
    const int last = world.processes - 1;
    std::vector<double> sent(2000, world.me == last ? 1.5 : 0);
    armci_msg_bcast(sent.data(), static_cast<int>(sent.size() * sizeof(double)), last);
    armci_msg_brdcst(sent.data(), 8, last);
    CHECK(sent.front() == 1.5 && sent.back() == 1.5);
    send_round(world);
    std::vector<int> ones(3000, 1);
    armci_msg_igop(ones.data(), static_cast<int>(ones.size()), plus);
    CHECK(ones.front() == world.processes && ones.back() == world.processes);
    long truth = world.me + 1;
    armci_msg_lgop(&truth, 1, both);
    CHECK(truth == 1);
    double highest = world.me;
    armci_msg_dgop(&highest, 1, greatest);
    CHECK(highest == last);
    float to_one = 2;
    armci_msg_reduce(&to_one, 1, plus, ARMCI_FLOAT);
    CHECK(to_one == (world.me == 0 ? 2.0F * static_cast<float>(world.processes) : 2.0F));
    int record[2] = {-world.me, world.me};
    armci_msg_sel(record, sizeof record, least, ARMCI_INT, 1);
    CHECK(record[0] == -last && record[1] == last);
    std::vector<void*> addresses(static_cast<std::size_t>(world.processes), nullptr);
    addresses[static_cast<std::size_t>(world.me)] = &failures;
    armci_exchange_address(addresses.data(), world.processes);
    for (const void* const address : addresses)
        CHECK(address != nullptr);
    use_scope(SCOPE_ALL);
    if (nodes_known) {
        use_scope(SCOPE_NODE);
        use_scope(SCOPE_MASTERS);
        int from_lowest = 1;
        armci_msg_clus_brdcst(&from_lowest, sizeof from_lowest);
        armci_msg_clus_igop(&from_lowest, 1, greatest);
        CHECK(from_lowest == 1);
    }
    CHECK(armci_timer() >= before && armci_timer() < before + 100);
    armci_msg_group_barrier(nullptr); // NULL names the world
}

// --- Who starts MPI ----------------------------------------------------------------------------------------

void messages_begin()
{
    const double before = armci_timer();
    armci_msg_init(nullptr, nullptr);
    CHECK(armci_timer() >= before && armci_timer() < before + 100); // one clock
    const Ranks world = ranks_of(MPI_COMM_WORLD);
    use("before", world, true);
    armci_msg_init(nullptr, nullptr);
    use("before, again", world, true);
    for (int life = 0; life < 2; ++life) {
        CHECK(ARMCI_Init() == 0);
        use("up", world, true);
        CHECK(ARMCI_Finalize() == 0);
        CHECK(!mpi_is_finalized());
        use("after", world, true);
    }
    armci_msg_finalize();
    CHECK(mpi_is_finalized());
}

void messages_alone()
{
    armci_msg_init(nullptr, nullptr);
    use("without ARMCI", ranks_of(MPI_COMM_WORLD), true);
    armci_msg_finalize();
    CHECK(mpi_is_finalized());
}

void program_begins()
{
    MPI_Init(nullptr, nullptr);
    const Ranks world = ranks_of(MPI_COMM_WORLD);
    use("before", world, false);
    CHECK(ARMCI_Init() == 0);
    use("up", world, true);
    CHECK(ARMCI_Finalize() == 0);
    use("after", world, true);
    armci_msg_finalize();
    CHECK(!mpi_is_finalized());
    use("after, again", world, true);
    MPI_Finalize();
}

void both_begin()
{
    MPI_Init(nullptr, nullptr);
    armci_msg_init(nullptr, nullptr);
    const Ranks world = ranks_of(MPI_COMM_WORLD);
    use("before", world, true);
    CHECK(ARMCI_Init() == 0);
    armci_msg_init(nullptr, nullptr);
    use("up", world, true);
    CHECK(ARMCI_Finalize() == 0);
    use("after", world, true);
    armci_msg_finalize();
    CHECK(!mpi_is_finalized());
    MPI_Finalize();
}

void armci_begins()
{
    CHECK(ARMCI_Init() == 0);
    armci_msg_init(nullptr, nullptr);
    use("up", ranks_of(MPI_COMM_WORLD), true);
    CHECK(ARMCI_Finalize() == 0);
    CHECK(mpi_is_finalized());
    armci_msg_finalize(); // nothing is left to end
}

// --- Over phases and communicators -------------------------------------------------------------------------

// What is sent in one phase may be received in the next.
void over_phases()
{
    armci_msg_init(nullptr, nullptr);
    const Ranks world = ranks_of(MPI_COMM_WORLD);
    int sent[2] = {11, 12}, got[2] = {0, 0};
    const int peer = world.me ^ 1;
    if (peer < world.processes)
        armci_msg_snd(1, &sent[0], sizeof(int), peer);
    CHECK(ARMCI_Init() == 0);
    if (peer < world.processes) {
        armci_msg_rcv(1, &got[0], sizeof(int), nullptr, peer);
        armci_msg_snd(2, &sent[1], sizeof(int), peer);
    }
    CHECK(ARMCI_Finalize() == 0);
    if (peer < world.processes) {
        armci_msg_rcv(2, &got[1], sizeof(int), nullptr, peer);
        CHECK(got[0] == 11 && got[1] == 12);
    }
    armci_msg_finalize();
}

// After ARMCI the world of messages is the one that ARMCI had.
void halves()
{
    MPI_Init(nullptr, nullptr);
    const Ranks world = ranks_of(MPI_COMM_WORLD);
    use("before", world, false);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world.me % 2, -world.me, &half);
    const Ranks mine = ranks_of(half);
    CHECK(ARMCI_Init_mpi_comm(half) == 1);
    use("up, in halves", mine, true);
    CHECK(ARMCI_Finalize() == 0);
    MPI_Comm_free(&half);
    use("after, in halves", mine, true);
    CHECK(ARMCI_Init() == 0);
    use("up, whole", world, true);
    CHECK(ARMCI_Finalize() == 0);
    use("after, whole", world, true);
    MPI_Finalize();
}

} // namespace

int main(int argc, char** argv)
{
    const std::map<std::string, std::function<void()>> ways{
        {"messages_begin", messages_begin},
        {"messages_alone", messages_alone},
        {"program_begins", program_begins},
        {"both_begin", both_begin},
        {"armci_begins", armci_begins},
        {"over_phases", over_phases},
        {"halves", halves},
    };
    const auto way = argc == 2 ? ways.find(argv[1]) : ways.end();
    if (way == ways.end()) {
        std::fprintf(stderr, "messages: no such way\n");
        return 2;
    }
    way->second();
    return failures == 0 ? 0 : 1;
}
